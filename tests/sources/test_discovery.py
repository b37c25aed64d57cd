from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import SourceError
from otel_traj.sources.discovery import list_directory, list_glob

if TYPE_CHECKING:
    from pathlib import Path

IN_ORDER = [
    "a.json",
    "data-2022-09-14T05-02-14.173.json",
    "data-2023-01-01T00-00-00.000-size.json",
    "data.json",
    "service.v2.jsonl",
    "traces-2026-11-29T23-59-59.999-time.jsonl",
    "traces-2026-11-30T09-48-52.188-size.jsonl",
    "traces-2026-11-30T09-48-52.189.jsonl.gz",
    "traces.jsonl",
    "traces-old.jsonl",
    "z.NDJSON",
]


def fill(folder: Path, *names: str) -> None:
    """Make empty files."""
    for name in names:
        (folder / name).touch()


def test_a_directory_is_read_in_the_order_of_the_times_in_its_names(tmp_path: Path) -> None:
    """Rotated files of one base by time, old and new names alike, the live one last; the rest by name."""
    fill(tmp_path, *reversed(IN_ORDER), "notes.txt", ".hidden.json", "x.json.bak")
    (tmp_path / "inner.json").mkdir()
    assert [path.name for path in list_directory(tmp_path)] == sorted(IN_ORDER, key=IN_ORDER.index)


def test_a_directory_without_matching_files_is_refused(tmp_path: Path) -> None:
    """The error names the directory and what was looked for."""
    fill(tmp_path, "notes.txt")
    with pytest.raises(SourceError, match=r"holds no file that ends in \.json, \.jsonl, \.ndjson") as raised:
        list_directory(tmp_path)
    assert raised.value.source == str(tmp_path)


def test_a_directory_that_is_gone_is_refused(tmp_path: Path) -> None:
    """Between opening and reading it may be removed."""
    with pytest.raises(SourceError, match="can't be listed"):
        list_directory(tmp_path / "gone")


def test_a_pattern_meets_files_of_any_name_in_the_same_order(tmp_path: Path) -> None:
    """What a user names is read whatever its suffix; directories are left out."""
    names = ["traces-2026-11-30T09-48-52.188-size.out", "traces.out"]
    fill(tmp_path, *names)
    (tmp_path / "traces.d").mkdir()
    assert [path.name for path in list_glob(f"{tmp_path}/traces*")] == names


def test_a_pattern_can_go_down(tmp_path: Path) -> None:
    """`**` stands for directories of any depth."""
    (tmp_path / "day" / "hour").mkdir(parents=True)
    fill(tmp_path / "day" / "hour", "b.jsonl")
    fill(tmp_path, "a.jsonl")
    assert [path.name for path in list_glob(f"{tmp_path}/**/*.jsonl")] == ["a.jsonl", "b.jsonl"]


def test_a_pattern_that_meets_nothing_is_refused(tmp_path: Path) -> None:
    """An empty answer would look like a run without telemetry."""
    with pytest.raises(SourceError, match="meets no file"):
        list_glob(f"{tmp_path}/*.jsonl")
