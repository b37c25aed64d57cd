"""The records of one place to spans, whatever each of them is: JSON text of any known form, or OTLP protobuf.

One for the whole place, because a place may change its form half way: equal keys and resources become one object,
and problems are held back until some record shows that the place holds spans at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.sources.documents import DocumentDecoder
from otel_traj.sources.files.json_text import NotJsonError, TooManyValuesError, check_size, parse_json
from otel_traj.sources.files.sniffing import is_json_record
from otel_traj.sources.jaeger.warnings import (
    WARNING_KEYS,
    describe_cut,
    find_cut,
    may_hold_warnings,
    undo_warnings,
)
from otel_traj.sources.otlp.strict import StrictDecoder
from otel_traj.sources.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.model import Span
    from otel_traj.sources.otlp.protobuf import ProtobufDecoder
    from otel_traj.sources.problems import ProblemLog

__all__ = ["RecordDecoder"]


class RecordDecoder:
    """Decodes the records of one place."""

    def __init__(self, log: ProblemLog) -> None:
        """Begin with nothing decoded.

        Args:
            log: Where problems are reported, held back so far.
        """
        self._log = log
        self._strict = StrictDecoder()
        self._documents = DocumentDecoder(log)
        self._protobuf: ProtobufDecoder | None = None
        self.is_known = False
        """Some record was of a form that holds spans, with spans or without."""
        self.has_spans = False
        """Some record held a span."""

    @property
    def other_signals(self) -> set[str]:
        """Logs, metrics, profiles: what records held that are OTLP without spans."""
        return self._documents.other_signals

    def decode_strictly(
        self, data: bytes, *, line: int | None = None, offset: int | None = None
    ) -> list[Span] | None:
        """Return the spans of OTLP JSON in its strict form; None for anything else.

        Args:
            data: One document.
            line: Where it begins, in text.
            offset: Where it begins, in a binary form.
        """
        try:
            check_size(data)
        except TooManyValuesError:
            return None
        spans = self._strict.decode(data)
        if spans is None:
            return None
        if not (self.has_spans and self.is_known):
            self._accept(spans)
        # A look at the keys saves one at every span.
        if WARNING_KEYS.isdisjoint(self._strict.keys):
            return spans
        return self._heed_warnings(spans, Position(line=line, offset=offset))

    def decode_json(self, data: bytes, at: Position) -> Iterator[Span]:
        """Yield the spans of JSON that is not in the strict form.

        Args:
            data: One document.
            at: Where it begins.

        Raises:
            NotJsonError: It is none; raised before the first span.
        """
        return self._decode_document(parse_json(data), at, may_warn=may_hold_warnings(data))

    def decode_protobuf(self, data: bytes, at: Position) -> list[Span]:
        """Return the spans of one OTLP protobuf message.

        Args:
            data: One message.
            at: Where it begins.

        Raises:
            NotProtobufError: It is none.
        """
        spans = self._load_protobuf().decode(data, at)
        self._accept(spans)
        return self._heed_warnings(spans, at) if may_hold_warnings(data) else spans

    def can_decode(self, data: bytes) -> bool:
        """Return whether bytes are a whole record; nothing is reported.

        Args:
            data: One record, perhaps.
        """
        if is_json_record(data):
            try:
                parse_json(data)
            except NotJsonError:
                return False
            return True
        return self._load_protobuf().can_decode(data)

    def _load_protobuf(self) -> ProtobufDecoder:
        if self._protobuf is None:
            from otel_traj.sources.otlp.protobuf import ProtobufDecoder

            self._protobuf = ProtobufDecoder(self._log)
        return self._protobuf

    def _decode_document(self, document: object, at: Position, *, may_warn: bool) -> Iterator[Span]:
        for span in self._documents.decode(document, at):
            self.has_spans = True
            yield from self._heed_warnings([span], at) if may_warn else (span,)
        if self._documents.is_known:
            self._accept([])

    def _accept(self, spans: list[Span]) -> None:
        if spans:
            self.has_spans = True
        if not self.is_known:
            self.is_known = True
            self._log.release()

    def _heed_warnings(self, spans: list[Span], at: Position) -> list[Span]:
        for span in spans:
            said = find_cut(span)
            if said is not None:
                self._log.report_at(at, *describe_cut(span.trace_id, said), trace_ids=(span.trace_id,))
        return [undo_warnings(span) for span in spans]
