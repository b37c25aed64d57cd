"""A stand-in for Jaeger's query API, as two releases were seen to answer: v1.76.0 (2.13.0), and one after 2.20.0.

It stands where no Jaeger can: for the newer line, which can't be built by the tests, and for answers that a real one
gives only when it is broken. The real v1.76.0 is asked the same by tests of its own.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from tests.sources.encoding import encode_document
from tests.sources.jaeger.legacy import encode_legacy_trace, holds_no_json_number
from tests.sources.serving import Reply, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from otel_traj.model import AttributeValue, Span

__all__ = ["PAGE", "JaegerStandIn"]

PAGE = b"<!doctype html>\n<html><body>a page for people</body></html>"


class JaegerStandIn:
    """Answers as a Jaeger with a memory store."""

    def __init__(
        self,
        spans: Iterable[Span] = (),
        *,
        line: Literal["1.76.0", "newer"] = "1.76.0",
        max_traces: int = 10_000,
        base: str = "",
        without: Iterable[str] = (),
        needs_service: bool = False,
        held_back: Iterable[str] = (),
    ) -> None:
        """Keep spans.

        Args:
            spans: In order of arrival.
            line: Which release.
            max_traces: The store's size: a search for more is refused.
            base: Base path.
            without: Paths that begin so are not known.
            needs_service: Search only inside a service, as Cassandra does.
            held_back: Ids of spans that a search counts and no id gives.
        """
        self.spans = list(spans)
        self.is_newer = line == "newer"
        self.max_traces = max_traces
        self.base = base
        self.without = tuple(without)
        self.needs_service = needs_service
        self.held_back = set(held_back)

    def __call__(self, request: Request) -> Reply:
        """Answer one request."""
        path = request.path.removeprefix(self.base)
        if (self.base and path == request.path) or path.startswith(self.without or ("\0",)):
            return self._answer_unknown_path()
        if found := re.fullmatch(r"/api/(v3/)?traces/(.+)", path):
            return self._answer_by_id(found[2], is_v3=bool(found[1]))
        routes: dict[str, Callable[[Request], Reply]] = {
            "/api/v3/traces": self._search_v3,
            "/api/v3/services": self._list_services_v3,
        }
        if self.is_newer:
            routes["/api/v3/trace-summaries"] = self._summarise
        else:
            routes |= {"/api/traces": self._search_legacy, "/api/services": self._list_services_legacy}
        answer = routes.get(path)
        return self._answer_unknown_path() if answer is None else answer(request)

    def _answer_unknown_path(self) -> Reply:
        if self.is_newer:
            return Reply(404, b"404 page not found\n", {"content-type": "text/plain; charset=utf-8"})
        return Reply(200, PAGE, {"content-type": "text/html; charset=utf-8"})

    def _answer_by_id(self, text: str, *, is_v3: bool) -> Reply:
        if not re.fullmatch("[0-9a-fA-F]{1,32}", text):
            return _refuse(400, "malformed parameter trace_id", is_v3=is_v3)
        trace_id = text.lower().zfill(32)
        kept = [span for span in self.spans if span.span_id not in self.held_back]
        spans = [span for span in kept if span.trace_id == trace_id]
        if not spans:
            return _refuse(404, "trace not found", is_v3=is_v3)
        return self._give_v3(spans) if is_v3 else _give_legacy([spans])

    def _give_v3(self, spans: list[Span]) -> Reply:
        body = json.dumps({"result": encode_document(spans)}).encode()
        return Reply(200, body, {"content-type": "application/json" if self.is_newer else "text/plain"})

    def _search_v3(self, request: Request) -> Reply:
        found = self._find_v3(request)
        if isinstance(found, Reply):
            return found
        if not found:
            return _refuse(404, "No traces found", is_v3=True)
        return self._give_v3([span for trace in found for span in trace])

    def _find_v3(self, request: Request) -> list[list[Span]] | Reply:
        def get(snake: str, camel: str) -> str:
            return request.get(f"query.{snake}") or (request.get(f"query.{camel}") if self.is_newer else "")

        since, until = get("start_time_min", "startTimeMin"), get("start_time_max", "startTimeMax")
        if not since or not until:
            return _refuse(400, "query.start_time_min and query.start_time_max are required", is_v3=True)
        depth = int(get("num_traces", "searchDepth") or (100 if self.is_newer else 0))
        attributes = get("attributes", "attributes") if self.is_newer else ""
        return self._find(
            service=get("service_name", "serviceName"),
            operation=get("operation_name", "operationName"),
            since_ns=_parse_rfc3339(since),
            until_ns=_parse_rfc3339(until),
            depth=depth,
            attributes=json.loads(attributes or "{}"),
            is_v3=True,
        )

    def _summarise(self, request: Request) -> Reply:
        found = self._find_v3(request)
        if isinstance(found, Reply):
            return found
        summaries = [
            {
                "traceId": trace[0].trace_id,
                "minStartTimeUnixNano": str(min(span.start_ns for span in trace)),
                "spanCount": len(trace),
            }
            for trace in found
        ]
        return Reply(200, json.dumps({"summaries": summaries}).encode(), {"content-type": "application/json"})

    def _search_legacy(self, request: Request) -> Reply:
        if not request.get("service"):
            return _refuse(400, "parameter 'service' is required", is_v3=False)
        found = self._find(
            service=request.get("service"),
            operation=request.get("operation"),
            since_ns=int(request.get("start")) * 1_000,
            until_ns=int(request.get("end")) * 1_000,
            depth=int(request.get("limit") or 100),
            attributes=json.loads(request.get("tags") or "{}"),
            is_v3=False,
        )
        return found if isinstance(found, Reply) else _give_legacy(found)

    def _find(
        self,
        *,
        service: str,
        operation: str,
        since_ns: int,
        until_ns: int,
        depth: int,
        attributes: dict[str, str],
        is_v3: bool,
    ) -> list[list[Span]] | Reply:
        if self.needs_service and not service:
            return _refuse(500, "service name must be set", is_v3=is_v3)
        if not 0 < depth <= self.max_traces:
            return _refuse(500, "search depth must be greater than 0 and less than max traces", is_v3=is_v3)
        newest_first = list(reversed(dict.fromkeys(span.trace_id for span in self.spans)))
        traces = [[span for span in self.spans if span.trace_id == trace_id] for trace_id in newest_first]
        fitting = [
            trace
            for trace in traces
            if any(
                (not service or _name_service(span) == service)
                and (not operation or span.name == operation)
                and since_ns <= span.start_ns <= until_ns
                and all(_has(span, key, value) for key, value in attributes.items())
                for span in trace
            )
        ]
        return fitting[:depth]

    def _list_services(self) -> list[str]:
        return sorted({_name_service(span) for span in self.spans})

    def _list_services_v3(self, _: Request) -> Reply:
        return Reply(200, json.dumps({"services": self._list_services()}).encode())

    def _list_services_legacy(self, _: Request) -> Reply:
        return Reply(200, json.dumps({"data": self._list_services(), "errors": None}).encode())


def _refuse(status: int, message: str, *, is_v3: bool) -> Reply:
    document = (
        {"error": {"httpCode": status, "message": message}}
        if is_v3
        else {"data": None, "total": 0, "limit": 0, "offset": 0, "errors": [{"code": status, "msg": message}]}
    )
    return Reply(status, json.dumps(document).encode(), {"content-type": "text/plain; charset=utf-8"})


def _give_legacy(traces: list[list[Span]]) -> Reply:
    if any(holds_no_json_number(span) for trace in traces for span in trace):
        return _refuse(500, "failed writing HTTP response: json: unsupported value: NaN", is_v3=False)
    document = {"data": [encode_legacy_trace(trace) for trace in traces], "total": 0, "errors": None}
    return Reply(200, json.dumps(document).encode(), {"content-type": "application/json"})


def _name_service(span: Span) -> str:
    return str(span.resource.get("service.name", "missing-service-name"))


def _has(span: Span, key: str, value: str) -> bool:
    holders = [span.attributes, span.resource, *(event.attributes for event in span.events)]
    return any(key in holder and _write(holder[key]) == value for holder in holders)


def _write(value: AttributeValue) -> str:
    if isinstance(value, bool | list | dict):
        return json.dumps(value, separators=(",", ":"))
    return str(value)


def _parse_rfc3339(text: str) -> int:
    whole, _, fraction = text.removesuffix("Z").partition(".")
    seconds = int(datetime.fromisoformat(f"{whole}+00:00").timestamp())
    return seconds * 10**9 + int(fraction.ljust(9, "0") or 0)
