"""A JSON document of any known form to spans: OTLP and its wrappers, Jaeger's legacy JSON, the console's spans.

Each document says by its own keys what it is, and a list may mix them. What is none of them is told, not passed
over in silence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.sources.console_spans import decode_console_span, is_console_span
from otel_traj.sources.jaeger.legacy_form import LegacyDecoder, is_legacy_form
from otel_traj.sources.otlp.envelope import Batches, find_batches, find_error
from otel_traj.sources.otlp.lenient import LenientDecoder, describe_partial
from otel_traj.sources.shared_resource import SharedResource
from otel_traj.sources.strangers import describe_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.model import Span
    from otel_traj.sources.position import Position
    from otel_traj.sources.problems import ProblemLog

__all__ = ["DocumentDecoder"]


class DocumentDecoder:
    """Decodes the documents of one place, and reports what they hold that is no span."""

    def __init__(self, log: ProblemLog) -> None:
        """Begin with nothing decoded.

        Args:
            log: Where problems are reported.
        """
        self._log = log
        self._otlp = LenientDecoder(log)
        self._legacy = LegacyDecoder(log)
        self._console_resources = SharedResource()
        self._streamed: dict[str, None] = {}
        """Traces of the last document, where a gateway streamed it as a result among others."""
        self.is_known = False
        """Some document was of a form that holds spans, with spans or without."""

    @property
    def other_signals(self) -> set[str]:
        """Logs, metrics, profiles: what documents held that are OTLP without spans."""
        return self._otlp.other_signals

    def decode(self, document: object, at: Position) -> Iterator[Span]:
        """Yield the spans of a document.

        Args:
            document: A decoded JSON document.
            at: Where it begins.
        """
        parts = document if isinstance(document, list) else [document]
        strangers = []
        for part in parts:
            batches = find_batches(part)
            if batches is not None:
                self.is_known = True
                yield from self._decode_otlp(
                    batches, at, is_streamed=isinstance(part, dict) and "result" in part
                )
            elif isinstance(part, dict) and is_legacy_form(part):
                self.is_known = True
                yield from self._legacy.decode(part, at)
            elif isinstance(part, dict) and is_console_span(part):
                self.is_known = True
                yield from self._decode_console(part, at)
            elif not self._ends_stream(part, at):
                strangers.append(part)
        if strangers:
            self._report_strangers(strangers, len(parts), at)

    def _decode_otlp(self, batches: Batches, at: Position, *, is_streamed: bool) -> Iterator[Span]:
        self._streamed = {}
        for span in self._otlp.decode(batches, at):
            if is_streamed:
                self._streamed[span.trace_id] = None
            yield span

    def _ends_stream(self, document: object, at: Position) -> bool:
        """Report an error behind what a gateway streamed: the trace that it gave last is not whole."""
        error = find_error(document) if isinstance(document, dict) else None
        if error is None or not self._streamed:
            return False
        self._log.report_at(at, *describe_partial(error), trace_ids=tuple(self._streamed))
        return True

    def _decode_console(self, document: dict[str, object], at: Position) -> Iterator[Span]:
        span = decode_console_span(document, self._console_resources)
        if span is not None:
            yield span
            return
        self._log.report_at(
            at,
            "bad_span",
            f"the span {str(document.get('name'))[:100]!r} has no usable ids ({str(document.get('context'))[:200]!r}); it "
            "belongs to no trace and is left out, the others are used; look for what changed the ids on the way",
        )

    def _report_strangers(self, strangers: list[object], parts: int, at: Position) -> None:
        found = f"this is {describe_document(strangers[0])}"
        if parts > 1:
            found = (
                f"of the {parts} parts of this list {len(strangers)} hold no spans; the first is "
                f"{describe_document(strangers[0])}"
            )
        self._log.report_at(
            at, "not_spans", f"{found}; no spans are read from it; name a file or an answer that holds spans"
        )
