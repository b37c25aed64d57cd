"""Tempo's answer to `/api/v2/traces/{id}` in protobuf: the trace one level further down, and whether it is whole.

`TraceByIDResponse` of Tempo 3.0 (pkg/tempopb/tempo.proto): 1 the trace (field by field `TracesData`), 2 metrics,
3 the status (0 complete, 1 partial), 4 a message. Read by its bytes alone it also looks like OTLP, with nonsense
for a resource and not a single scope; so it is looked for only where OTLP finds no scope.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from msgspec import Struct

__all__ = ["TempoAnswer", "parse_tempo_answer"]

_PARTIAL = 1


class TempoAnswer(Struct, frozen=True, kw_only=True):
    """What an answer of Tempo holds."""

    trace: bytes
    """The trace, a message of its own."""
    partial: str | None
    """None, or what Tempo said about a trace that it gave only a part of."""


def parse_tempo_answer(data: bytes) -> TempoAnswer | None:
    """Return what an answer of Tempo holds; None where the bytes are no such answer.

    Args:
        data: All bytes of the answer.
    """
    from google.protobuf.message import DecodeError

    try:
        answer = _answer_class().FromString(data)
    except DecodeError:
        return None
    if not (answer.trace or answer.metrics or answer.status or answer.message):
        return None
    return TempoAnswer(trace=answer.trace, partial=answer.message if answer.status == _PARTIAL else None)


@cache
def _answer_class() -> Any:  # noqa: ANN401 - made at run time
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="tempo_answer.proto", package="otel_traj", syntax="proto3")
    message = file.message_type.add(name="TempoAnswer")
    for number, (name, kind) in enumerate(
        (
            ("trace", kinds.TYPE_BYTES),
            ("metrics", kinds.TYPE_BYTES),
            ("status", kinds.TYPE_INT32),
            ("message", kinds.TYPE_STRING),
        ),
        1,
    ):
        message.field.add(name=name, number=number, type=kind, label=kinds.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("otel_traj.TempoAnswer"))
