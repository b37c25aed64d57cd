"""What does not fit into memory, or would take for ever, is refused with words; memory stays bounded meanwhile."""

from __future__ import annotations

import gzip
import io
import tracemalloc
from typing import TYPE_CHECKING

import pytest
import zstandard

from otel_traj.model import Span
from otel_traj.sources.files.bombs import MAX_RATIO, BombError, RatioGuard
from otel_traj.sources.files.streams import read_stream
from tests.sources.encoding import encode_lines
from tests.sources.packing import encode_message, frame, pack_zstd
from tests.sources.reading import codes, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from otel_traj.model import SourceProblem

MIB = 2**20
GOOD = encode_lines(
    [Span(trace_id="0af7651916cd43dd8448eb211c80319c", span_id="b7ad6b7169203331", name="good")]
)


class Endless(io.RawIOBase):
    """A raw stream of so many bytes that nobody has to keep."""

    def __init__(self, head: bytes, filling: bytes, size: int, tail: bytes = b"") -> None:
        """Take what comes first, what is repeated up to a size, and what comes last."""
        self.pieces = self._make_pieces(head, filling * (MIB // len(filling)), size, tail)

    def _make_pieces(self, head: bytes, filling: bytes, size: int, tail: bytes) -> Iterator[bytes]:
        yield head
        for _ in range(size // len(filling)):
            yield filling
        yield tail

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # the buffer that BufferedReader gives
        """Write the next piece into a buffer that is large enough for it."""
        piece = next(self.pieces, b"")
        buffer[: len(piece)] = piece
        return len(piece)


def read_endless(stream: Endless, max_bytes: int) -> tuple[list[Span], list[SourceProblem], int]:
    """Return the spans of a stream, its problems, and the peak of memory taken meanwhile."""
    problems: list[SourceProblem] = []
    buffered: io.BufferedReader = io.BufferedReader(stream, 2 * MIB)
    tracemalloc.start()
    try:
        spans = list(read_stream(buffered, "endless", problems.append, max_bytes=max_bytes))
        return spans, problems, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_line_of_a_gigabyte_is_refused_with_words() -> None:
    """Memory is bounded by what is read of a line, not by the line; the lines around it are used."""
    stream = Endless(GOOD + b'{"resourceSpans":["', b"x", 1024 * MIB, b'"]}\n' + GOOD)
    spans, problems, peak = read_endless(stream, 4 * MIB)
    assert [span.name for span in spans] == ["good", "good"]
    assert [(problem.code, problem.line) for problem in problems] == [("unreadable_line", 2)]
    assert "longer than 4,194,304 bytes" in problems[0].message
    assert peak < 64 * MIB


def test_a_packed_line_of_a_gigabyte_is_refused_with_words() -> None:
    """The same where a few bytes unpack to it: it is too much from too little."""
    packer = zstandard.ZstdCompressor().compressobj()
    line = b"".join(packer.compress(b"x" * MIB) for _ in range(1024)) + packer.flush()
    spans, problems, peak = read_endless(Endless(pack_zstd(GOOD) + line, b"\n", 0, pack_zstd(GOOD)), 4 * MIB)
    assert [span.name for span in spans] == ["good"]
    assert set(codes(problems)) == {"unreadable_line", "unfinished_line"} or set(codes(problems)) == {
        "unreadable_line"
    }
    assert any("decompression bomb" in problem.message for problem in problems)
    assert peak < 128 * MIB


@pytest.mark.parametrize("pack", [lambda data: gzip.compress(data, 9), pack_zstd], ids=["gzip", "zstd"])
def test_a_decompression_bomb_is_refused_with_words(pack: Callable[[bytes], bytes]) -> None:
    """Blank lines without number, from a few bytes."""
    bomb = pack(b"\n" * (100 * MIB))
    assert len(bomb) < MIB
    stream = Endless(pack(GOOD) + bomb, b"\n", 0)
    spans, problems, peak = read_endless(stream, MIB)
    assert [span.name for span in spans] == ["good"]
    assert codes(problems) == ["unreadable_line"]
    assert "look like a decompression bomb" in problems[0].message
    assert "unpack them yourself" in problems[0].message
    assert peak < 128 * MIB


def test_a_packed_record_that_is_too_long_costs_only_itself() -> None:
    """It is unpacked no further than what is read of a record."""
    records = [frame(pack_zstd(GOOD)), frame(pack_zstd(b" " * (40 * MIB))), frame(pack_zstd(GOOD))]
    spans, problems = read_bytes(*records)
    assert [span.name for span in spans] == ["good", "good"]
    assert [(problem.code, problem.offset) for problem in problems] == [("unreadable_line", len(records[0]))]
    assert "longer than 1,048,576 bytes" in problems[0].message


def test_a_record_that_is_too_long_costs_only_itself() -> None:
    """What is not packed is passed over without being read."""
    message = encode_message(
        [Span(trace_id="1".zfill(32), span_id="1".zfill(16), attributes={"x": "y" * 2 * MIB})]
    )
    spans, problems = read_bytes(frame(message), frame(GOOD))
    assert [span.name for span in spans] == ["good"]
    assert [(problem.code, problem.offset) for problem in problems] == [("unreadable_line", 0)]


def test_one_message_that_is_too_long_is_refused_with_words() -> None:
    """A file that is one message has to fit."""
    message = encode_message(
        [Span(trace_id="1".zfill(32), span_id="1".zfill(16), attributes={"x": "y" * 2 * MIB})]
    )
    spans, problems = read_bytes(message)
    assert spans == []
    assert codes(problems) == ["unreadable_line", "empty_source"]
    assert "longer than 1,048,576 bytes" in problems[0].message


def test_little_may_unpack_to_anything() -> None:
    """The bound counts once enough has come out, over all that went in."""
    guard = RatioGuard(free_bytes=1_000)
    guard.count(1, 1_000)
    with pytest.raises(BombError, match=f"over {MAX_RATIO} times"):
        guard.count(0, 1)
    guard = RatioGuard(free_bytes=1_000)
    guard.count(100, MAX_RATIO * 100)
