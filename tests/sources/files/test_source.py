"""Files as sources: which of them can be read again, and what an output beside them may be."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from otel_traj import read_runs
from otel_traj.sources import open_source
from tests.sources.files.numbered_spans import GOOD, names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    """Yield a named pipe into which one process writes once."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(GOOD[0],))
    writer.start()
    yield path
    writer.join()


def test_a_pipe_is_read_once_however_long_is_waited(pipe: Path) -> None:
    """A second reading would wait for a second writer, or find nothing."""
    assert not open_source(str(pipe)).capabilities.rereads
    assert list(read_runs(str(pipe), wait=30)) == []


def test_a_pipe_by_the_number_of_its_descriptor_is_read_once() -> None:
    """As a shell names what a command in brackets writes."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as stream:
        stream.write(GOOD[0])
    try:
        source = open_source(f"/dev/fd/{reading}")
        assert not source.capabilities.rereads
        assert names(list(source.read_spans(print))) == ["1"]
    finally:
        os.close(reading)


def test_a_file_and_a_link_to_it_can_be_read_again(tmp_path: Path) -> None:
    """Only what is no regular file can't."""
    (tmp_path / "a.jsonl").write_bytes(GOOD[0])
    (tmp_path / "link").symlink_to("a.jsonl")
    assert open_source(tmp_path / "a.jsonl").capabilities.rereads
    assert open_source(tmp_path / "link").capabilities.rereads


@pytest.mark.parametrize("name", [".", "*.jsonl", "a.jsonl"])
def test_links_in_a_circle_beside_the_output_are_no_error(tmp_path: Path, name: str) -> None:
    """They are none of the files that the output could be."""
    (tmp_path / "a.jsonl").write_bytes(GOOD[0])
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    source = open_source(f"{tmp_path}/{name}")
    assert not getattr(source, "would_read")(tmp_path / "deep" / "out.json")  # noqa: B009 - not every source has it
    assert not getattr(source, "would_read")(tmp_path / "loop.jsonl" / "out")  # noqa: B009
