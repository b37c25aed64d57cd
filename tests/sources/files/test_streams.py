"""Data that are read as they come: pipes, standard input, and files that grow."""

from __future__ import annotations

import gzip
import io
import sys
from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import SourceError
from otel_traj.sources import open_source
from otel_traj.sources.files.streams import read_stream
from tests.sources.files.numbered_spans import GOOD, names
from tests.sources.packing import frame, pack_zstd
from tests.sources.reading import codes, read, refuse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from otel_traj.model import SourceProblem


class Pipe(io.RawIOBase):
    """A raw stream whose pieces come one by one, an error among them."""

    def __init__(self, *pieces: bytes | OSError) -> None:
        """Take what comes, in order; then the stream ends."""
        self.pieces = list(pieces)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # the buffer that BufferedReader gives
        """Write the next piece into a buffer."""
        piece = self.pieces.pop(0) if self.pieces else b""
        if isinstance(piece, OSError):
            raise piece
        buffer[: len(piece)] = piece
        return len(piece)


def test_spans_come_before_the_end_of_the_input() -> None:
    """Reading streams: the first span is there while the second line is still to be written."""
    pipe = Pipe(GOOD[0], GOOD[1])
    reading = read_stream(io.BufferedReader(pipe), "pipe", refuse)
    assert next(reading).name == "span 1"
    assert pipe.pieces == [GOOD[1]]


def test_an_input_that_breaks_off_is_an_error() -> None:
    """The operating system's word, in ours; what was yielded before stands."""
    pipe = Pipe(GOOD[0], OSError(5, "Input/output error"))
    reading = read_stream(io.BufferedReader(pipe), "disk", refuse)
    assert next(reading).name == "span 1"
    with pytest.raises(SourceError, match="'disk' can't be read \\(Input/output error\\)"):
        next(reading)


def test_a_file_that_grows_is_read_to_where_it_was(tmp_path: Path) -> None:
    """Faster than it is read, too; a later reading gives the rest, the half of a line that was there among it."""
    path = tmp_path / "live.jsonl"
    path.write_bytes(GOOD[0] + GOOD[1][:60])
    problems: list[SourceProblem] = []
    reading = open_source(path).read_spans(problems.append)
    assert next(reading).name == "span 1"
    with path.open("ab") as file:
        file.write(GOOD[1][60:] + GOOD[2])
    assert names(list(reading)) == ["2"]
    assert names(list(open_source(path).read_spans(refuse))) == ["1", "2", "3"]


@pytest.mark.parametrize(
    "pack",
    [
        lambda data: data,
        pack_zstd,
        lambda data: frame(pack_zstd(data)),
        gzip.compress,
    ],
    ids=["lines", "native zstd", "zstd with lengths", "gzip"],
)
def test_a_live_end_that_is_half_written_is_kept_for_the_next_reading(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """Whole at the first reading or at the second, and never called damaged."""
    path = tmp_path / "live"
    packed = [pack(line) for line in GOOD[:3]]
    path.write_bytes(packed[0] + packed[1] + packed[2][: len(packed[2]) // 2])
    spans, problems = read(path)
    assert names(spans) == ["1", "2"]
    assert set(codes(problems)) == {"unfinished_line"}
    path.write_bytes(b"".join(packed))
    spans, problems = read(path)
    assert names(spans) == ["1", "2", "3"]
    assert problems == []


def test_packed_bytes_are_read_from_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe can't be read twice, and need not be."""
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(frame(pack_zstd(GOOD[0])) + pack_zstd(GOOD[1])))
    )
    spans, problems = read("-")
    assert names(spans) == ["1", "2"]
    assert problems == []


def test_a_packed_stream_is_read_as_it_comes() -> None:
    """The spans of a frame are there while the next one is still to be written."""
    pipe = Pipe(pack_zstd(GOOD[0]), pack_zstd(GOOD[1]))
    reading = read_stream(io.BufferedReader(pipe), "pipe", refuse)
    assert next(reading).name == "span 1"
    assert len(pipe.pieces) == 1


def test_a_packed_input_that_breaks_off_is_an_error() -> None:
    """As one that is not packed."""
    pipe = Pipe(pack_zstd(GOOD[0]), OSError(5, "Input/output error"))
    reading = read_stream(io.BufferedReader(pipe), "disk", refuse)
    with pytest.raises(SourceError, match="'disk' can't be read \\(Input/output error\\)"):
        list(reading)
