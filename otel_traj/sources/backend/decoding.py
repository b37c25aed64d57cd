"""An answer with a trace to spans: strict OTLP in Jaeger's wrapper in one go, anything else with patience.

An answer may give a part of a trace, and say so by an error beside the spans or behind them in a stream, where it comes
too late for the status of HTTP. Here it is known which trace was asked for: the error is told with its id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw, Struct

from otel_traj.sources.backend.answer import describe_error
from otel_traj.sources.backend.streamed import split_documents
from otel_traj.sources.documents import DocumentDecoder
from otel_traj.sources.files.json_text import NotJsonError, check_size, parse_json
from otel_traj.sources.otlp.protobuf import NotProtobufError, ProtobufDecoder
from otel_traj.sources.otlp.strict import StrictDecoder
from otel_traj.sources.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.model import Span
    from otel_traj.sources.problems import ProblemLog

__all__ = ["AnswerDecoder", "NotJsonError", "NotProtobufError"]

_WHOLE = Position()


class _Wrapper(Struct, forbid_unknown_fields=True):
    """Jaeger's `{"result": ...}`, and nothing that would say more about it."""

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

    def decode_json(self, body: bytes, trace_id: str) -> Iterator[Span]:
        """Yield the spans of an answer, and report where it says that it is not whole.

        Args:
            body: OTLP JSON in any wrapper, or Jaeger's legacy form; one document, or several as a gateway streams them.
            trace_id: What was asked for.

        Raises:
            NotJsonError: It is no JSON, or holds more values than a document may.
        """
        check_size(body)
        spans = self._decode_strictly(body)
        if spans is not None:
            yield from spans
            return
        for document in _parse(body):
            yield from self._decode_patiently(document, trace_id)

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

    def _decode_patiently(self, document: object, trace_id: str) -> Iterator[Span]:
        fields = document if isinstance(document, dict) else {}
        said = describe_error(fields.get("error") or fields.get("errors"))
        others = {key: value for key, value in fields.items() if key not in ("error", "errors")}
        if not said or others:
            # An error that is reported here is nothing that the forms of traces should complain about once more.
            yield from self._documents.decode(others | {"errors": None} if said else document, _WHOLE)
        if said and trace_id not in self._log.named_traces:
            self._log.report(
                "partial_response",
                f"the answer with trace {trace_id} holds an error ({said!r}); spans are missing, so that "
                "its runs can't be judged; look at the log of the place, and read again later",
                trace_ids=(trace_id,),
            )

    def _decode_strictly(self, body: bytes) -> list[Span] | None:
        try:
            wrapper = msgspec.json.decode(body, type=_Wrapper)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
        return self._strict.decode(bytes(wrapper.result))


def _parse(body: bytes) -> list[object]:
    try:
        return [parse_json(body)]
    except NotJsonError:
        try:
            documents = split_documents(body)
        except ValueError:
            documents = []
        if len(documents) < 2:
            raise
        return [parse_json(document) for document in documents]
