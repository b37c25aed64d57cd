from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import SinkError
from otel_traj.sources import open_source
from otel_traj.sources.files.overwriting import refuse_to_overwrite

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a directory with two files, one of them by a link as well."""
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("a.json", "b.jsonl"):
        (tmp_path / "in" / name).write_text("{}", encoding="utf-8")
    (tmp_path / "link.json").symlink_to(tmp_path / "in" / "a.json")
    (tmp_path / "folder").symlink_to(tmp_path / "in")
    return tmp_path


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("in/a.json", "in/a.json"),
        ("in/a.json", "in/../in/a.json"),
        ("in/a.json", "link.json"),
        ("link.json", "in/a.json"),
        ("in", "in/a.json"),
        ("in", "folder/a.json"),
        ("in", "in/out.json"),
        ("folder", "in/out.json.gz"),
        ("in/*.json", "in/out.json"),
        ("**/*.json", "in/deep/out.json"),
        ("**", "in/out.txt"),
        ("in/*.json", "link.json"),
    ],
)
def test_an_output_that_is_read_is_refused(
    folder: Path, source: str, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By whatever name, there already or not yet; the error names both."""
    monkeypatch.chdir(folder)
    with pytest.raises(SinkError, match=r"name another file") as raised:
        refuse_to_overwrite(output, open_source(source))
    assert raised.value.path == output
    assert repr(source) in str(raised.value)


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("in/a.json", "in/b.jsonl"),
        ("in/a.json", "in/out.json"),
        ("in", "in/out.txt"),
        ("in", "in/.out.json"),
        ("in", "in/deep/out.json"),
        ("in", "out.json"),
        ("in/*.json", "in/out.jsonl"),
        ("in/*.json", "in/deep/out.json"),
        ("**/*.json", "in/.hidden/out.json"),
        ("*/*.json", "out.json"),
    ],
)
def test_any_other_output_is_accepted(
    folder: Path, source: str, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a file, outside of a directory, or by a name that its listing passes over."""
    monkeypatch.chdir(folder)
    refuse_to_overwrite(output, open_source(source))


def test_one_of_several_sources_is_enough(folder: Path) -> None:
    """Spans in memory are no files."""
    source = open_source([[], folder / "in"])
    refuse_to_overwrite(folder / "out.json", source)
    with pytest.raises(SinkError):
        refuse_to_overwrite(folder / "in" / "out.json", source)
    refuse_to_overwrite(folder / "in" / "a.json", open_source([]))


def test_what_is_piped_in_is_not_written_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`otel-traj ... - < a.json > out.json`, told by the open file."""
    with (folder / "in" / "a.json").open(encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(SinkError):
            refuse_to_overwrite(folder / "link.json", open_source("-"))
        refuse_to_overwrite(folder / "out.json", open_source("-"))
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    refuse_to_overwrite(folder / "in" / "a.json", open_source("-"))
