"""What a process that was killed while it wrote leaves in a binary file, and what of the rest it may cost: nothing."""

from __future__ import annotations

import gzip
import hashlib
from typing import TYPE_CHECKING

import pytest

from otel_traj.model import Span
from tests.sources.encoding import encode_lines
from tests.sources.files.numbered_spans import names
from tests.sources.packing import encode_message, frame, pack_zstd
from tests.sources.reading import codes, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable


def _make_span(number: int) -> Span:
    digits = hashlib.sha256(bytes([number])).hexdigest()
    return Span(
        trace_id=digits[:32],
        span_id=digits[32:48],
        name=f"span {number}",
        start_ns=1_790_000_000_123_456_789 + number,
        end_ns=1_790_000_000_223_456_789 + number,
        attributes={"langgraph.step": number, "text": "\n{[ grüße", "digest": bytes.fromhex(digits)},
        resource={"service.name": "shop", "process.pid": number},
        scope_name="shop",
    )


COUNT = 12
KILLED = 4
SPANS = [_make_span(number) for number in range(COUNT)]
LINES = [encode_lines([span]) for span in SPANS]
MESSAGES = [encode_message([span]) for span in SPANS]
FORMS: dict[str, Callable[[int], bytes]] = {
    "protobuf": lambda number: frame(MESSAGES[number]),
    "packed protobuf": lambda number: frame(pack_zstd(MESSAGES[number])),
    "JSON": lambda number: frame(LINES[number].rstrip()),
    "packed JSON": lambda number: frame(pack_zstd(LINES[number])),
    "native": lambda number: pack_zstd(LINES[number]),
    "lines": lambda number: LINES[number],
}
every_form = pytest.mark.parametrize("make", list(FORMS.values()), ids=list(FORMS))
with_lengths = pytest.mark.parametrize("make", list(FORMS.values())[:4], ids=list(FORMS)[:4])


def _names_but(*left_out: int) -> set[str]:
    return {str(number) for number in range(COUNT)} - set(map(str, left_out))


@every_form
def test_a_process_that_died_at_any_byte_costs_no_record_but_its_own(make: Callable[[int], bytes]) -> None:
    """Whatever the bytes in the middle of a record look like, they are not taken for the beginning of something."""
    before = b"".join(map(make, range(KILLED)))
    behind = b"".join(map(make, range(KILLED + 1, COUNT)))
    for cut in range(1, len(make(KILLED)) - 1):
        spans, problems = read_bytes(before, make(KILLED)[:cut], behind)
        assert set(names(spans)) - {str(KILLED)} == _names_but(KILLED), cut
        assert len(spans) <= COUNT, cut
        assert problems, cut


@every_form
def test_a_process_that_died_in_the_first_record_costs_no_other(make: Callable[[int], bytes]) -> None:
    """Nothing stands before it that tells what the file is."""
    behind = b"".join(map(make, range(1, COUNT)))
    for cut in range(8, len(make(0)), 7):
        spans, _ = read_bytes(make(0)[:cut], behind)
        assert set(names(spans)) - {"0"} == _names_but(0), cut


@with_lengths
@pytest.mark.parametrize("broken", [0, KILLED])
def test_a_length_that_is_wrong_costs_no_record_but_its_own(
    make: Callable[[int], bytes], broken: int
) -> None:
    """Too short or too long, in the first record or another."""
    records = [make(number) for number in range(COUNT)]
    length = len(records[broken]) - 4
    for wrong in {*range(max(9, length - 60), length + 300, 3)} - {length}:
        records[broken] = wrong.to_bytes(4, "big") + make(broken)[4:]
        spans, problems = read_bytes(*records)
        assert set(names(spans)) - {str(broken)} == _names_but(broken), wrong
        assert "unreadable_line" in codes(problems), wrong


@with_lengths
@pytest.mark.parametrize("other", ["native", "lines", "protobuf", "packed JSON"])
def test_a_process_that_goes_on_in_another_form_behind_a_broken_record_costs_nothing(
    make: Callable[[int], bytes], other: str
) -> None:
    """Killed, then restarted with another setting."""
    before = b"".join(map(make, range(KILLED)))
    behind = b"".join(map(FORMS[other], range(KILLED + 1, COUNT)))
    for cut in range(5, len(make(KILLED)), 11):
        spans, _ = read_bytes(before, make(KILLED)[:cut], behind)
        assert set(names(spans)) - {str(KILLED)} == _names_but(KILLED), cut


@pytest.mark.parametrize("cut", [1, 2, 3])
@pytest.mark.parametrize("before", [0, 1, KILLED])
def test_the_first_bytes_of_a_frame_are_passed_over(cut: int, before: int) -> None:
    """A frame that got no further than its signature; it is one problem."""
    frames = list(map(pack_zstd, LINES))
    spans, problems = read_bytes(*frames[:before], frames[before][:cut], *frames[before + 1 :])
    assert set(names(spans)) == _names_but(before)
    assert [(problem.code, problem.offset) for problem in problems] == [
        ("unreadable_line", sum(map(len, frames[:before])))
    ]


@pytest.mark.parametrize("pack", [gzip.compress, pack_zstd], ids=["gzip", "zstd"])
@pytest.mark.parametrize("end", [b"\n", b"", b"\n\xff\xfe oops \x00"], ids=["whole", "no line feed", "junk"])
def test_packed_data_behind_a_line_without_its_end_are_read(
    pack: Callable[[bytes], bytes], end: bytes
) -> None:
    """Where a line is none, what is packed in it is found by its signature."""
    spans, problems = read_bytes(*LINES[:3], LINES[3].rstrip() + end, pack(b"".join(LINES[4:])))
    assert set(names(spans)) == _names_but()
    assert codes(problems) == (["unreadable_line"] if b"oops" in end else [])


def test_what_is_packed_too_often_is_one_problem() -> None:
    """What is left of it is not read as lines."""
    spans, problems = read_bytes(gzip.compress(pack_zstd(gzip.compress(b"".join(LINES)))))
    assert (spans, codes(problems)) == ([], ["unreadable_line", "empty_source"])
    assert "packed again" in problems[0].message
