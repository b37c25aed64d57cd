"""Spans that are already in this process: an in-memory exporter, or any iterable of spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from otel_traj.errors import TrajectoryTypeError
from otel_traj.model import Span
from otel_traj.sources.problems import ProblemLog
from otel_traj.sources.protocol import ALL_SPANS, Capabilities
from otel_traj.sources.sdk_spans import SdkSpanConverter, is_sdk_span

if TYPE_CHECKING:
    from otel_traj.sources.protocol import OnProblem, SpanQuery

__all__ = ["ExporterSource", "SpansSource", "SupportsFinishedSpans"]

_FIELD_TYPES: Final[dict[str, type]] = {
    **dict.fromkeys(("trace_id", "span_id", "parent_span_id", "name", "scope_name", "scope_version"), str),
    **dict.fromkeys(("start_ns", "end_ns", "dropped_attributes"), int),
    **dict.fromkeys(("attributes", "resource"), dict),
    **dict.fromkeys(("events", "links", "unreadable"), tuple),
}
_ID_FORMS: Final = {
    "trace_id": re.compile("[0-9a-f]{32}"),
    "span_id": re.compile("[0-9a-f]{16}"),
    "parent_span_id": re.compile("(?:[0-9a-f]{16})?"),
}


@runtime_checkable
class SupportsFinishedSpans(Protocol):
    """What is asked of an exporter: the SDK's `InMemorySpanExporter` has it."""

    def get_finished_spans(self) -> Iterable[object]:
        """Return the spans exported so far."""
        ...


class SpansSource:
    """An iterable of SDK spans, of `Span` records, or of both."""

    def __init__(self, spans: Iterable[object], name: str | None = None) -> None:
        """Take the spans; nothing is asked of them yet.

        Args:
            spans: An iterator can be read only once.
            name: How the place is called; by default after the iterable's type.
        """
        self._spans = spans
        self.name = name or f"<{type(spans).__name__} of spans>"
        """The place as it stands in problems and reports."""
        self.capabilities = Capabilities(rereads=not isinstance(spans, Iterator))
        """What the place can do; an iterator can be read once."""

    def read_spans(self, on_problem: OnProblem, query: SpanQuery = ALL_SPANS) -> Iterator[Span]:  # noqa: ARG002 - all that is there
        """Yield the spans; see `Source`."""
        log = ProblemLog(self.name, on_problem)
        converter = SdkSpanConverter()
        found = False
        for index, item in enumerate(self._spans):
            span = _to_span(item, index, converter, log)
            if span is not None:
                found = True
                yield span
        if not found:
            log.report(
                "empty_source",
                "the source holds not a single span; there is nothing to rebuild a run from; check that the "
                "provider has this exporter, and that the spans ended (an iterator can be read only once)",
            )
        log.close()


class ExporterSource:
    """An exporter that keeps finished spans, such as the SDK's `InMemorySpanExporter`."""

    def __init__(self, exporter: SupportsFinishedSpans) -> None:
        """Take the exporter; its spans are asked for at each reading.

        Args:
            exporter: An object with `get_finished_spans()`.
        """
        self._exporter = exporter
        self.name = f"<{type(exporter).__name__}>"
        """The place as it stands in problems and reports."""
        self.capabilities = Capabilities(rereads=True)
        """What the place can do."""

    def read_spans(self, on_problem: OnProblem, query: SpanQuery = ALL_SPANS) -> Iterator[Span]:  # noqa: ARG002 - all that is there
        """Yield the spans exported so far; see `Source`."""
        spans: object = self._exporter.get_finished_spans()
        if not isinstance(spans, Iterable):
            raise TrajectoryTypeError(
                f"get_finished_spans() of {self.name!r} gave a {type(spans).__name__}; there is no span in it to read; "
                "pass an exporter that keeps spans in memory, or the spans themselves"
            )
        yield from SpansSource(spans, self.name).read_spans(on_problem)


def _to_span(item: object, index: int, converter: SdkSpanConverter, log: ProblemLog) -> Span | None:
    if isinstance(item, Span):
        _check_record(item, index, log.source)
        return item
    if not is_sdk_span(item):
        raise TrajectoryTypeError(
            f"item {index} of {log.source!r} is a {type(item).__name__}; spans of the OpenTelemetry SDK or Span "
            "records are read here; pass the spans themselves, or the name of the place that keeps them"
        )
    span = converter.convert(item)
    if span is None:
        log.report(
            "bad_span",
            f"item {index} has no valid span context; it belongs to no trace and is left out, the "
            "others are used; check that it was made by a provider of the SDK",
        )
    return span


def _check_record(span: Span, index: int, source: str) -> None:
    """Raise where a record made by hand breaks its contract: everything above this package relies on it."""
    for name, kind in _FIELD_TYPES.items():
        value: object = getattr(span, name)
        if not isinstance(value, kind):
            found = f"a {type(value).__name__}"
        elif isinstance(value, str) and name in _ID_FORMS and not _ID_FORMS[name].fullmatch(value):
            found = repr(value[:40])
        else:
            continue
        raise TrajectoryTypeError(
            f"item {index} of {source!r} is a Span whose {name} is {found}; no run can be rebuilt from it; make "
            "records as otel_traj.model.Span says, or pass SDK spans"
        )
