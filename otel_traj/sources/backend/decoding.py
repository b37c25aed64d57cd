"""An answer with a trace to spans: strict OTLP in Jaeger's wrapper in one go, anything else with patience."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw, Struct

from otel_traj.sources.documents import DocumentDecoder
from otel_traj.sources.files.json_text import NotJsonError, parse_json
from otel_traj.sources.otlp.protobuf import NotProtobufError, ProtobufDecoder
from otel_traj.sources.otlp.strict import StrictDecoder
from otel_traj.sources.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.model import Span
    from otel_traj.sources.problems import ProblemLog

__all__ = ["AnswerDecoder", "NotJsonError", "NotProtobufError"]

_WHOLE = Position()


class _Wrapper(Struct):
    """Jaeger's `{"result": ...}`."""

    result: Raw


class AnswerDecoder:
    """Decodes the answers of one place."""

    def __init__(self, log: ProblemLog) -> None:
        """Begin with nothing decoded.

        Args:
            log: Where problems are reported.
        """
        self._log = log
        self._strict = StrictDecoder()
        self._documents = DocumentDecoder(log)
        self._protobuf: ProtobufDecoder | None = None

    def decode_json(self, body: bytes) -> Iterator[Span]:
        """Yield the spans of an answer.

        Args:
            body: OTLP JSON in any wrapper, or Jaeger's legacy form; one document, or one a line as a gateway streams
                them.

        Raises:
            NotJsonError: It is no JSON.
        """
        spans = self._decode_strictly(body)
        if spans is not None:
            yield from spans
            return
        for document in _split(body):
            yield from self._documents.decode(document, _WHOLE)

    def decode_protobuf(self, body: bytes) -> list[Span]:
        """Return the spans of an answer.

        Args:
            body: `TracesData`, or Tempo's message around it.

        Raises:
            NotProtobufError: It is none of them.
        """
        if self._protobuf is None:
            self._protobuf = ProtobufDecoder(self._log)
        return self._protobuf.decode(body, _WHOLE)

    def _decode_strictly(self, body: bytes) -> list[Span] | None:
        try:
            wrapper = msgspec.json.decode(body, type=_Wrapper)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
        return self._strict.decode(bytes(wrapper.result))


def _split(body: bytes) -> list[object]:
    try:
        return [parse_json(body)]
    except NotJsonError:
        lines = [line for line in body.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
        return [parse_json(line) for line in lines]
