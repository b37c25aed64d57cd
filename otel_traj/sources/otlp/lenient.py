"""OTLP JSON in any spelling seen to spans: the slow path, which loses nothing that can be used.

Read besides the strict form: snake_case keys, enum names, ids in every spelling (`ids`), numbers as strings and
strings as numbers, null lists, absent resources and scopes, `instrumentationLibrarySpans` (before
opentelemetry-proto 0.16), fields nobody knows. A span without usable ids is left out alone and reported; what
else can't be decoded is named in the span's `unreadable`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.sources.otlp.span import SpanContext, decode_span
from otel_traj.sources.otlp.values import decode_attributes, get_field, has_field, list_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.model import AttributeValue, SourceProblemCode, Span
    from otel_traj.sources.otlp.envelope import Batches
    from otel_traj.sources.position import Position
    from otel_traj.sources.problems import ProblemLog

__all__ = ["LenientDecoder", "describe_partial"]

_SCOPE_FIELDS: Final = ("scopeSpans", "instrumentationLibrarySpans")


class LenientDecoder:
    """Decodes the documents of one place, and reports what they hold that is no span."""

    def __init__(self, log: ProblemLog) -> None:
        """Begin with nothing decoded.

        Args:
            log: Where problems are reported.
        """
        self._log = log
        self.other_signals: set[str] = set()
        """Logs, metrics, profiles: what documents held that are OTLP without spans."""

    def decode(self, batches: Batches, at: Position) -> Iterator[Span]:
        """Yield the spans of a document.

        Args:
            batches: Where in the document they are.
            at: Where the document begins.
        """
        if batches.other_signal:
            self.other_signals.add(batches.other_signal)
        for name in batches.unusable:
            self._report_no_message(f"{name!r} is no list", at)
        trace_ids: dict[str, None] = {}
        for batch in batches.resource_spans:
            for span in self._decode_batch(batch, at):
                if batches.partial is not None:
                    trace_ids[span.trace_id] = None
                yield span
        if batches.partial is not None:
            self._log.report_at(at, *describe_partial(batches.partial), trace_ids=tuple(trace_ids))

    def _decode_batch(self, batch: object, at: Position) -> Iterator[Span]:
        if not isinstance(batch, dict):
            self._report_no_message("a batch is no object", at)
            return
        self._check_fields(batch, _SCOPE_FIELDS, at)
        resource, unreadable = _decode_resource(batch.get("resource"))
        for name in _SCOPE_FIELDS:
            for groups in list_fields(batch, name):
                if not isinstance(groups, list):
                    self._report_no_message(f"{name!r} is no list", at)
                    continue
                for group in groups:
                    yield from self._decode_group(group, resource, unreadable, at)

    def _decode_group(
        self, group: object, resource: dict[str, AttributeValue], unreadable: tuple[str, ...], at: Position
    ) -> Iterator[Span]:
        spans = group.get("spans") if isinstance(group, dict) else group
        if not isinstance(group, dict) or not isinstance(spans, list | None):
            self._report_no_message("what should be a list of spans is none", at)
            return
        self._check_fields(group, ("spans",), at)
        scope = group.get("scope") or get_field(group, "instrumentationLibrary")
        context = SpanContext(
            resource=resource,
            scope_name=_read_text(scope, "name"),
            scope_version=_read_text(scope, "version"),
            unreadable=unreadable,
        )
        for message in spans or ():
            span = decode_span(message, context) if isinstance(message, dict) else None
            if span is None:
                self._report_bad_span(message, at)
            else:
                yield span

    def _check_fields(self, message: dict[str, object], wanted: tuple[str, ...], at: Position) -> None:
        """Report a message with objects under a key that nobody knows where one of the wanted fields should be."""
        if any(has_field(message, name) for name in wanted):
            return
        for key, value in message.items():
            if isinstance(value, list) and any(isinstance(item, dict) for item in value):
                self._report_no_message(f"{key[:40]!r} stands where {wanted[0]!r} should", at)
                return

    def _report_bad_span(self, message: object, at: Position) -> None:
        if isinstance(message, dict):
            name = str(message.get("name"))[:100]
            span_id = str(get_field(message, "spanId"))[:100]
            trace_id = str(get_field(message, "traceId"))[:100]
            found = f"the span {name!r} has the span id {span_id!r} and the trace id {trace_id!r}, not both usable"
        else:
            found = "something that is no object stands where a span should"
        self._log.report_at(
            at,
            "bad_span",
            f"{found}; it belongs to no trace and is left out, the others are used; look for what changed the ids on "
            "the way",
        )

    def _report_no_message(self, found: str, at: Position) -> None:
        self._log.report_at(
            at,
            "not_spans",
            f"{found}; the spans that should stand there are not read; look for what rewrote the document on the way",
        )


def describe_partial(said: str) -> tuple[SourceProblemCode, str]:
    """Return code and message for an answer of which the backend says that it is not whole.

    Args:
        said: What the backend said about it.
    """
    return "partial_response", (
        f"the backend marked its answer as partial ({said[:200]!r}); spans are missing from it, so that its runs can't "
        "be judged; ask for the trace again, or raise the backend's limit"
    )


def _decode_resource(resource: object) -> tuple[dict[str, AttributeValue], tuple[str, ...]]:
    if resource is None:
        return {}, ()
    if not isinstance(resource, dict):
        return {}, ("resource",)
    attributes, unreadable = decode_attributes(resource.get("attributes"))
    return attributes, tuple(unreadable)


def _read_text(message: object, name: str) -> str:
    value = message.get(name) if isinstance(message, dict) else None
    return value if isinstance(value, str) else ""
