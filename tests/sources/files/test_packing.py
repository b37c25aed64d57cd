"""How what a collector, an exporter or a person packed is read: by its bytes alone, whatever stands beside it."""

from __future__ import annotations

import gzip
import json
import struct
from typing import TYPE_CHECKING

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.model import Span
from tests.sources.encoding import encode_document, encode_lines
from tests.sources.packing import encode_message, frame, pack_zstd
from tests.sources.reading import codes, fingerprint, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPANS = [
    Span(
        trace_id=TRACE,
        span_id=f"{number:016x}",
        name=f"span {number}",
        attributes={"langgraph.step": number, "text": "grüße " * number},
        resource={"service.name": "shop"},
    )
    for number in range(1, 7)
]
LINES = [encode_lines([span]) for span in SPANS]
DOCUMENTS = [line.rstrip() for line in LINES]
MESSAGES = [encode_message([span]) for span in SPANS]
TEXT = b"".join(LINES)
FRAMED_PROTO = b"".join(map(frame, MESSAGES))
FRAMED_ZSTD = b"".join(frame(pack_zstd(document)) for document in DOCUMENTS)
FRAMED_ZSTD_PROTO = b"".join(frame(pack_zstd(message)) for message in MESSAGES)
FRAMES = b"".join(map(pack_zstd, LINES))
SKIPPABLE = b"\x50\x2a\x4d\x18" + struct.pack("<I", 3) + b"abc"

PACKED = {
    "gzip": gzip.compress(TEXT),
    "gzip, a member per line": b"".join(map(gzip.compress, LINES)),
    "gzip, a member ends in a line": gzip.compress(TEXT[:300]) + gzip.compress(TEXT[300:]),
    "gzip of a pretty-printed document": gzip.compress(json.dumps(encode_document(SPANS), indent=2).encode()),
    "gzip of one protobuf message": gzip.compress(encode_message(SPANS)),
    "gzip of a compressed collector file": gzip.compress(FRAMED_ZSTD),
    "zstd": pack_zstd(TEXT),
    "zstd, a frame per line": FRAMES,
    "zstd, a frame ends in a line": pack_zstd(TEXT[:300]) + pack_zstd(TEXT[300:]),
    "zstd with a skippable frame": pack_zstd(TEXT[:300]) + SKIPPABLE + pack_zstd(TEXT[300:]),
    "zstd of records with lengths": pack_zstd(FRAMED_PROTO),
    "zstd of records with lengths, a frame each": b"".join(pack_zstd(frame(message)) for message in MESSAGES),
    "one protobuf message": encode_message(SPANS),
    "protobuf with lengths": FRAMED_PROTO,
    "JSON with lengths": b"".join(map(frame, DOCUMENTS)),
    "each JSON document packed, with lengths": FRAMED_ZSTD,
    "each protobuf message packed, with lengths": FRAMED_ZSTD_PROTO,
    "an empty message between": FRAMED_PROTO[:0]
    + frame(MESSAGES[0])
    + frame(b"")
    + b"".join(map(frame, MESSAGES[1:])),
    "zeros between": frame(MESSAGES[0]) + bytes(64) + b"".join(map(frame, MESSAGES[1:])),
    "restarted with native compression": b"".join(frame(pack_zstd(line)) for line in LINES[:3])
    + b"".join(map(pack_zstd, LINES[3:])),
    "restarted without native compression": b"".join(map(pack_zstd, LINES[:3]))
    + b"".join(frame(pack_zstd(line)) for line in LINES[3:]),
    "restarted with compression": b"".join(LINES[:3])
    + b"".join(frame(pack_zstd(line)) for line in LINES[3:]),
    "restarted with native compression after none": b"".join(LINES[:3]) + b"".join(map(pack_zstd, LINES[3:])),
    "restarted with protobuf": b"".join(LINES[:3]) + b"".join(map(frame, MESSAGES[3:])),
    "restarted with JSON": b"".join(map(frame, MESSAGES[:3])) + b"".join(LINES[3:]),
    "restarted again and again": LINES[0]
    + frame(MESSAGES[1])
    + pack_zstd(LINES[2])
    + frame(pack_zstd(MESSAGES[3]))
    + LINES[4]
    + pack_zstd(LINES[5]),
}


def names(spans: list[Span]) -> list[str]:
    """Return the names of spans, without the word they all begin with."""
    return [span.name.removeprefix("span ") for span in spans]


@pytest.mark.parametrize("packed", list(PACKED.values()), ids=list(PACKED))
def test_every_packing_gives_the_same_spans(packed: bytes) -> None:
    """However it is packed, all spans come out and nothing is reported."""
    spans, problems = read_bytes(packed)
    assert problems == []
    assert fingerprint(spans) == fingerprint(SPANS)


@pytest.mark.parametrize(
    "pack",
    [lambda message: message, frame, lambda message: frame(pack_zstd(message)), pack_zstd],
    ids=["one message", "with lengths", "packed with lengths", "packed"],
)
def test_a_message_of_any_length_is_one(pack: Callable[[bytes], bytes]) -> None:
    """Its first length may be any character: behind the first tag, which is a line feed, it can look like JSON."""
    for size in range(260):
        span = Span(trace_id=TRACE, span_id="1".zfill(16), name="x" * size)
        message = encode_message([span])
        assert read_bytes(pack(message)) == ([span], []), message[:2]


def test_a_message_of_any_length_is_found_behind_a_broken_one() -> None:
    """Whoever looks for the next record does not take it for broken JSON."""
    for size in range(260):
        span = Span(trace_id=TRACE, span_id="1".zfill(16), name="x" * size)
        spans, problems = read_bytes(frame(MESSAGES[0] * 9)[:40], frame(encode_message([span])))
        assert (spans, codes(problems)) == ([span], ["unreadable_line"]), size


@pytest.mark.parametrize("kind", list(PACKED))
@pytest.mark.parametrize("share", [0.02, 0.3, 0.55, 0.81, 0.97])
def test_a_cut_end_costs_only_what_is_cut(kind: str, share: float) -> None:
    """What is whole is read; that more may come is said, and nothing is called damaged."""
    packed = PACKED[kind]
    spans, problems = read_bytes(packed[: int(len(packed) * share)])
    assert names(spans) == names(SPANS)[: len(spans)]
    told = set(codes(problems)) - {"empty_source"}
    if kind in ("one protobuf message", "gzip of one protobuf message"):
        assert told & {"unreadable_line", "unfinished_line"}
    else:
        assert told <= {"unfinished_line", "not_spans"}
        assert told or spans


@pytest.mark.parametrize(
    "pack",
    [lambda number: frame(MESSAGES[number]), lambda number: frame(pack_zstd(LINES[number]))],
    ids=["protobuf with lengths", "packed with lengths"],
)
@pytest.mark.parametrize("cut", [1, 3, 4, 5, 9, 40, 80])
def test_a_process_that_died_in_a_record_costs_only_that_one(pack: Callable[[int], bytes], cut: int) -> None:
    """The next one wrote on behind it; reading goes on at its first record."""
    broken = pack(1)[:cut]
    spans, problems = read_bytes(pack(0), broken, *(pack(number) for number in range(2, 6)))
    assert names(spans) == ["1", "3", "4", "5", "6"]
    assert [(problem.code, problem.offset) for problem in problems] == [("unreadable_line", len(pack(0)))]
    assert "reading goes on at byte" in problems[0].message


@pytest.mark.parametrize("cut", [5, 9, 40, 80])
def test_a_process_that_died_in_a_frame_costs_only_that_one(cut: int) -> None:
    """With native compression too; the line that was cut does not swallow the next one."""
    packed = [pack_zstd(line) for line in LINES]
    spans, problems = read_bytes(packed[0], packed[1][:cut], *packed[2:])
    assert [name for name in names(spans) if name != "3"] == ["1", "4", "5", "6"]
    assert ("unreadable_line", len(packed[0])) in [(problem.code, problem.offset) for problem in problems]


def test_a_damaged_record_costs_only_itself() -> None:
    """Its length is right, so the next one is where it should be."""
    records = [frame(pack_zstd(line)) for line in LINES]
    records[2] = records[2][:12] + bytes(len(records[2]) - 12)
    spans, problems = read_bytes(*records)
    assert names(spans) == ["1", "2", "4", "5", "6"]
    assert [(problem.code, problem.offset) for problem in problems] == [
        ("unreadable_line", len(records[0]) + len(records[1]))
    ]


def test_a_record_that_is_no_message_costs_only_itself() -> None:
    """Logs beside traces, or anything else with a length in front."""
    spans, problems = read_bytes(frame(MESSAGES[0]), frame(b"\x0a\x03abc"), frame(MESSAGES[1]))
    assert names(spans) == ["1", "2"]
    assert [(problem.code, problem.offset) for problem in problems] == [
        ("unreadable_line", len(frame(MESSAGES[0])))
    ]


def test_the_place_in_unpacked_data_is_said() -> None:
    """A line is a line of what is unpacked; an offset says that it counts there."""
    _, problems = read_bytes(gzip.compress(LINES[0] + b"oops\n" + LINES[1]))
    assert [(problem.code, problem.line) for problem in problems] == [("unreadable_line", 2)]
    _, problems = read_bytes(gzip.compress(frame(MESSAGES[0]) + frame(b"\x0a\x03abc") + frame(MESSAGES[1])))
    assert "of the unpacked data" in problems[0].message


def test_damaged_gzip_keeps_what_came_before() -> None:
    """The checksum is at the end, so all lines are there; that something is wrong is said."""
    damaged = bytearray(gzip.compress(TEXT))
    damaged[-6] ^= 1
    spans, problems = read_bytes(bytes(damaged))
    assert set(names(spans)) <= set(names(SPANS))
    assert "unreadable_line" in codes(problems)
    assert "damaged" in " ".join(problem.message for problem in problems)


def test_what_is_packed_too_often_is_refused_with_words() -> None:
    """Reading ends."""
    data = TEXT
    for _ in range(4):
        data = gzip.compress(data)
    spans, problems = read_bytes(data)
    assert spans == []
    assert codes(problems) == ["unreadable_line", "empty_source"]
    assert "packed again" in problems[0].message


@pytest.mark.parametrize("pack", [gzip.compress, pack_zstd])
@pytest.mark.parametrize("data", [b"", b"\n"])
def test_a_packed_file_of_nothing_is_empty(pack: Callable[[bytes], bytes], data: bytes) -> None:
    """As an empty file is."""
    _, problems = read_bytes(pack(data))
    assert codes(problems) == ["empty_source"]
    assert "is empty" in problems[0].message


@given(
    st.sampled_from(list(PACKED.values())),
    st.lists(st.tuples(st.integers(0, 2_000), st.binary(max_size=6)), max_size=4),
    st.booleans(),
)
def test_no_damage_makes_reading_crash(
    packed: bytes, edits: list[tuple[int, bytes]], is_insertion: bool
) -> None:
    """Bytes changed, added and taken out anywhere: spans that were there, problems for the rest, and an end."""
    for place, data in edits:
        packed = packed[:place] + data + packed[place + (0 if is_insertion else len(data) or 9) :]
    spans, _ = read_bytes(packed)
    assert len(spans) <= 2 * len(SPANS)


@given(
    st.lists(
        st.sampled_from([*PACKED.values(), b"\x00", b"\n", b"{", b"\x0a\x05", SKIPPABLE, b"\x1f\x8b\x08"]),
        max_size=4,
    )
)
def test_any_forms_one_behind_the_other_are_read(parts: list[bytes]) -> None:
    """Whatever was appended to whatever."""
    read_bytes(*parts)


def test_what_a_damaged_frame_holds_before_its_damage_is_read() -> None:
    """To the last line that is whole, though the damage shows only at the frame's end."""
    whole = pack_zstd(b"".join(LINES[:3]))
    damaged = zstandard.ZstdCompressor(write_checksum=True).compress(b"".join(LINES[:3]))[:-4] + bytes(4)
    for packed in (damaged + whole, damaged):
        spans, problems = read_bytes(packed)
        assert names(spans) == ["1", "2", "3"] * (2 if packed != damaged else 1)
        assert [(problem.code, problem.offset) for problem in problems] == [("unreadable_line", 0)]


def test_the_end_of_a_damaged_frame_is_not_taken_for_a_length() -> None:
    """Four bytes that could be one stand in front of the next frame by chance."""
    broken = pack_zstd(LINES[0])[:-8] + b"\x00\x00\x01\x00"
    spans, problems = read_bytes(broken, pack_zstd(LINES[1]), pack_zstd(LINES[2]))
    assert names(spans)[-2:] == ["2", "3"]
    assert set(codes(problems)) == {"unreadable_line"}
