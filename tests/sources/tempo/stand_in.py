"""A stand-in for Tempo's HTTP API by its documentation and source of 2026-08 (3.0): no Tempo was run.

It understands of TraceQL what this package asks: comparisons joined by `&&` and `||` in one pair of braces, and
braces joined by `&&`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import msgspec

from tests.sources.encoding import encode_document
from tests.sources.packing import encode_message
from tests.sources.serving import Reply, Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from otel_traj.model import AttributeValue, Span

__all__ = ["TempoStandIn"]

_CONDITION = re.compile(r'(span|resource)\.("(?:[^"\\]|\\.)*"|[\w.]+)\s*=\s*("(?:[^"\\]|\\.)*"|[\w.-]+)')
_CUT = 2_048


class TempoStandIn:
    """Answers as a Tempo."""

    def __init__(
        self,
        spans: Iterable[Span] = (),
        *,
        tenant: str | None = None,
        has_v2: bool = True,
        gives: str = "protobuf",
        cuts: bool = False,
        partial: dict[str, str] | None = None,
        too_large: Iterable[str] = (),
        not_yet: Iterable[str] = (),
        base: str = "",
    ) -> None:
        """Keep spans.

        Args:
            spans: What was ingested.
            tenant: The only tenant; None is a Tempo without tenants.
            has_v2: It knows `/api/v2/traces/{id}`.
            gives: `protobuf`, or `json` where what stands between knows no other.
            cuts: It cuts attributes as `distributor.max_attribute_bytes` does by default.
            partial: Traces that v2 marks as not whole -> what it says.
            too_large: Traces that are over `max_bytes_per_trace`.
            not_yet: Traces that a search finds and no id gives.
            base: Base path.
        """
        self.spans = [_cut(span) for span in spans] if cuts else list(spans)
        self.tenant = tenant
        self.has_v2 = has_v2
        self.gives = gives
        self.partial = partial or {}
        self.too_large = set(too_large)
        self.not_yet = set(not_yet)
        self.base = base

    def __call__(self, request: Request) -> Reply:
        """Answer one request."""
        path = request.path.removeprefix(self.base)
        if self.base and path == request.path:
            return Reply(404, b"404 page not found\n")
        if self.tenant is not None and request.headers.get("x-scope-orgid") != self.tenant:
            return Reply(401, b"no org id\n")
        if path == "/api/search":
            return self._search(request)
        found = re.fullmatch(r"/api/(v2/)?traces/([0-9a-f]+)", path)
        if not found or (found[1] and not self.has_v2):
            return Reply(404, b"404 page not found\n")
        return self._answer_by_id(found[2].zfill(32), is_v2=bool(found[1]))

    def _answer_by_id(self, trace_id: str, *, is_v2: bool) -> Reply:
        spans = [span for span in self.spans if span.trace_id == trace_id]
        if trace_id in self.too_large and not is_v2:
            return Reply(422, b"trace exceeds max size (max bytes: 5000000)")
        if not spans or trace_id in self.not_yet:
            return Reply(200, b"") if is_v2 else Reply(404, b"")
        said = self.partial.get(trace_id) if is_v2 else None
        if trace_id in self.too_large:
            spans, said = [], "trace exceeds max size"
        if self.gives == "json":
            return _give_json(spans, said, is_v2=is_v2)
        trace = encode_message(spans)
        if not is_v2:
            return Reply(200, trace, {"content-type": "application/protobuf"})
        body = _field(1, trace) + (b"\x18\x01" + _field(4, said.encode()) if said is not None else b"")
        return Reply(200, body, {"content-type": "application/protobuf"})

    def _search(self, request: Request) -> Reply:
        limit = int(request.get("limit") or 20)
        since, until = int(request.get("start")), int(request.get("end"))
        if not 0 < limit <= 262_144:
            return Reply(400, b"invalid limit: must be a positive number")
        if not 0 < until - since <= 168 * 3_600:
            return Reply(400, b"range specified by start and end exceeds 168h0m0s")
        groups = re.findall(r"\{([^}]*)\}", request.get("q"))
        if not groups:
            return Reply(400, b"invalid TraceQL query: parse error at line 1, col 1")
        traces: dict[str, list[Span]] = {}
        for span in self.spans:
            if since * 10**9 <= span.start_ns <= until * 10**9:
                traces.setdefault(span.trace_id, []).append(span)
        fitting = [
            (trace_id, spans)
            for trace_id, spans in traces.items()
            if all(any(_fits(span, group) for span in spans) for group in groups)
        ]
        fitting.sort(key=lambda each: -min(span.start_ns for span in each[1]))
        answer = [
            {
                "traceID": trace_id.lstrip("0"),
                "startTimeUnixNano": str(min(span.start_ns for span in spans)),
                "spanSets": [{"spans": [{"spanID": spans[0].span_id}], "matched": len(spans)}],
            }
            for trace_id, spans in fitting[:limit]
        ]
        return Reply(200, json.dumps({"traces": answer, "metrics": {}}).encode())


def _fits(span: Span, group: str) -> bool:
    """Return whether a span meets the conditions between two braces."""
    for clause in group.split("&&"):
        conditions = _CONDITION.findall(clause)
        if clause.strip() and not any(_meets(span, *condition) for condition in conditions):
            return False
    return True


def _meets(span: Span, scope: str, key: str, literal: str) -> bool:
    holder = span.attributes if scope == "span" else span.resource
    name = json.loads(key) if key.startswith('"') else key
    wanted = json.loads(literal)
    found: AttributeValue = holder.get(name)
    return type(found) is type(wanted) and found == wanted


def _give_json(spans: list[Span], said: str | None, *, is_v2: bool) -> Reply:
    batches = encode_document(spans)["resourceSpans"]
    document: dict[str, object] = {"trace": {"resourceSpans": batches}} if is_v2 else {"batches": batches}
    if said is not None:
        document |= {"status": "PARTIAL", "message": said}
    return Reply(200, json.dumps(document).encode(), {"content-type": "application/json"})


def _cut(span: Span) -> Span:
    events = tuple(
        msgspec.structs.replace(event, attributes=_cut_attributes(event.attributes)) for event in span.events
    )
    return msgspec.structs.replace(span, attributes=_cut_attributes(span.attributes), events=events)


def _cut_attributes(attributes: Mapping[str, AttributeValue]) -> dict[str, AttributeValue]:
    return {
        key: value.encode()[:_CUT].decode(errors="ignore") if isinstance(value, str) else value
        for key, value in attributes.items()
    }


def _field(number: int, data: bytes) -> bytes:
    """Return a field of bytes as protobuf writes it."""
    size, length = len(data), b""
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + data
