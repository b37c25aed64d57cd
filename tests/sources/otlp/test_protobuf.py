from __future__ import annotations

import base64
import contextlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from otel_traj.model import Span
from otel_traj.sources.otlp.protobuf import NotProtobufError, ProtobufDecoder
from otel_traj.sources.position import Position
from otel_traj.sources.problems import ProblemLog
from tests.sources.encoding import encode_lines
from tests.sources.packing import encode_message, frame
from tests.sources.reading import fingerprint, read_bytes, refuse
from tests.sources.strategies import spans

if TYPE_CHECKING:
    from otel_traj.model import SourceProblem

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = Span(
    trace_id=TRACE, span_id="b7ad6b7169203331", attributes={"a": "x"}, resource={"service.name": "shop"}
)
AT = Position(offset=0)


def decode(data: bytes) -> list[Span]:
    """Return the spans of a message with which nothing is wrong."""
    return ProtobufDecoder(ProblemLog("test", refuse)).decode(data, AT)


def decode_with_problems(data: bytes) -> tuple[list[Span], list[SourceProblem]]:
    """Return the spans of a message, and its problems."""
    problems: list[SourceProblem] = []
    return ProtobufDecoder(ProblemLog("test", problems.append)).decode(data, AT), problems


def field(number: int, data: bytes | int) -> bytes:
    """Return one field of a message, by hand: a length with bytes, or a small number."""
    if isinstance(data, int):
        return _varint(number << 3) + _varint(data)
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    low, high = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(high) if high else bytes([low])


@given(st.lists(spans, max_size=3))
def test_what_was_recorded_comes_out(recorded: list[Span]) -> None:
    """Ids, kvlists, bytes, null values, NaN: field by field."""
    assert fingerprint(decode(encode_message(recorded))) == fingerprint(recorded)


@given(st.lists(spans, min_size=1, max_size=3))
def test_protobuf_and_json_read_the_same(recorded: list[Span]) -> None:
    """One set of spans in two encodings is one set of spans."""
    from_json, _ = read_bytes(encode_lines(recorded))
    from_protobuf, problems = read_bytes(frame(encode_message(recorded)))
    assert fingerprint(from_protobuf) == fingerprint(from_json)
    assert problems == []


def test_fields_may_come_in_any_order_and_unknown_ones_are_ignored() -> None:
    """The collector writes them last first."""
    span = field(200, b"x") + field(5, b"late") + field(2, bytes(7) + b"\x02") + field(1, b"\x01" * 16)
    group = field(2, span) + field(1, field(1, b"otel_traj"))
    (read,) = decode(field(1, field(2, group) + field(1, b"")))
    assert (read.name, read.trace_id, read.span_id) == ("late", "01" * 16, "2".zfill(16))
    assert read.scope_name == "otel_traj"


@pytest.mark.parametrize(
    ("trace_id", "span_id"),
    [
        (bytes.fromhex(TRACE), bytes.fromhex(SPAN.span_id)),
        (base64.b64decode(TRACE), base64.b64decode(SPAN.span_id)),
    ],
    ids=["bytes", "hex that was taken for base64"],
)
def test_ids_of_wrong_length_are_made_right(trace_id: bytes, span_id: bytes) -> None:
    """`json_format.Parse` of OTLP JSON decodes hex digits as base64, and nobody notices."""
    message = TracesData()
    message.resource_spans.add().scope_spans.add().spans.add(trace_id=trace_id, span_id=span_id)
    (read,) = decode(message.SerializeToString())
    assert (read.trace_id, read.span_id) == (TRACE, SPAN.span_id)


def test_ids_that_lost_zeros_in_front_are_padded() -> None:
    """Half a trace id is one with zeros in front."""
    message = TracesData()
    message.resource_spans.add().scope_spans.add().spans.add(trace_id=b"\x01" * 8, span_id=b"\x02")
    (read,) = decode(message.SerializeToString())
    assert (read.trace_id, read.span_id) == (("01" * 8).zfill(32), "02".zfill(16))


@pytest.mark.parametrize("span_id", [b"", bytes(8), b"\x01" * 9])
def test_a_span_without_usable_ids_is_left_out_alone(span_id: bytes) -> None:
    """The problem says at which byte its message begins."""
    message = TracesData.FromString(encode_message([SPAN]))
    message.resource_spans[0].scope_spans[0].spans.add(trace_id=b"\x01" * 16, span_id=span_id, name="bad")
    read, problems = decode_with_problems(message.SerializeToString())
    assert read == [SPAN]
    assert [(problem.code, problem.offset) for problem in problems] == [("bad_span", 0)]
    assert "'bad'" in problems[0].message


def test_what_can_not_be_decoded_is_named() -> None:
    """A kind of value that nobody knows is not the null value; an unknown status is not unset."""
    pair = field(1, b"new") + field(2, field(15, b"?"))
    null = field(1, b"null") + field(2, b"")
    span = (
        field(1, b"\x01" * 16)
        + field(2, b"\x02" * 8)
        + field(9, pair)
        + field(9, null)
        + field(15, field(3, 9))
    )
    (read,) = decode(field(1, field(2, field(2, span))))
    assert (read.attributes, read.unreadable, read.status) == ({"null": None}, ("new", "status"), "unset")


def test_an_answer_of_tempo_is_unwrapped() -> None:
    """`TraceByIDResponse` has the trace one level further down."""
    answer = field(1, encode_message([SPAN])) + field(2, field(1, 5))
    assert decode(answer) == [SPAN]


@given(spans)
def test_whatever_the_span_an_answer_of_tempo_is_told_from_otlp(recorded: Span) -> None:
    """By its bytes alone the one may look like the other."""
    answer = field(1, encode_message([recorded])) + field(2, b"")
    assert fingerprint(decode(answer)) == fingerprint([recorded])


def test_a_partial_answer_of_tempo_is_not_taken_for_a_whole_one() -> None:
    """What there is of it is read; the trace is named."""
    answer = field(1, encode_message([SPAN])) + field(3, 1) + field(4, b"trace exceeds max size")
    read, problems = decode_with_problems(answer)
    assert read == [SPAN]
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", (TRACE,))]
    assert "trace exceeds max size" in problems[0].message


def test_an_answer_of_tempo_without_a_trace_holds_no_span() -> None:
    """Unknown ids are answered so."""
    assert decode(field(2, field(1, 5))) == []


@pytest.mark.parametrize("data", [b"\x0a\xff", b"\xff" * 9, b"hello", b"\x32\x01x"])
def test_other_bytes_are_refused(data: bytes) -> None:
    """Nothing is guessed."""
    with pytest.raises(NotProtobufError):
        decode(data)


@given(
    st.binary(max_size=60)
    | st.builds(lambda head, tail: head + tail, st.just(encode_message([SPAN])), st.binary())
)
def test_no_bytes_make_the_decoder_crash(data: bytes) -> None:
    """Spans or its own error, nothing else."""
    with contextlib.suppress(NotProtobufError):
        decode_with_problems(data)
