from __future__ import annotations

from pathlib import Path

import pytest

from otel_traj.errors import SourceError
from otel_traj.sources.files.discovery import list_directory, list_glob

IN_ORDER = [
    "a.json",
    "data-2022-09-14T05-02-14.173.json",
    "data-2023-01-01T00-00-00.000-size.json",
    "data.json",
    "packed-2026-11-30T09-48-52.188-size.zst",
    "packed.zst",
    "proto-2026-11-30T09-48-52.188-size.pb.zstd",
    "proto-2026-11-30T09-48-52.189-size.binpb",
    "proto-2026-11-30T09-48-52.190.proto",
    "proto.pb",
    "service.v2.jsonl",
    "traces-2026-11-29T23-59-59.999-time.jsonl",
    "traces-2026-11-30T09-48-52.188-size.jsonl",
    "traces-2026-11-30T09-48-52.189.jsonl.gz",
    "traces-2026-11-30T09-48-52.190-size.jsonl.zst",
    "traces.jsonl",
    "traces-old.jsonl",
    "traces_1234567.json.gz",
    "z.NDJSON",
]


def fill(folder: Path, *names: str) -> None:
    """Make empty files."""
    for name in names:
        (folder / name).touch()


def test_a_directory_is_read_in_the_order_of_the_times_in_its_names(tmp_path: Path) -> None:
    """Rotated files of one base by time, old and new names alike, the live one last; the rest by name."""
    fill(tmp_path, *reversed(IN_ORDER), "notes.txt", ".hidden.json", "x.json.bak", "x.tar.gz", "x.log.zst")
    (tmp_path / "inner.json").mkdir()
    assert [path.name for path in list_directory(tmp_path)] == sorted(IN_ORDER, key=IN_ORDER.index)


def test_a_directory_without_matching_files_is_refused(tmp_path: Path) -> None:
    """The error names the directory and what was looked for."""
    fill(tmp_path, "notes.txt")
    with pytest.raises(
        SourceError, match=r"holds no file that ends in \.json, \.jsonl, \.ndjson, \.pb"
    ) as raised:
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


def test_a_pattern_does_not_follow_links_to_directories(tmp_path: Path) -> None:
    """Two links to one's own folder make more paths than anybody can walk; each file is met once."""
    folder = tmp_path / "day"
    (folder / "hour").mkdir(parents=True)
    fill(folder / "hour", "b.jsonl")
    for name in ("again", "once-more"):
        (folder / name).symlink_to(folder, target_is_directory=True)
        (folder / "hour" / name).symlink_to("..", target_is_directory=True)
    (tmp_path / "link").symlink_to(folder, target_is_directory=True)
    for pattern in (f"{tmp_path}/**/*.jsonl", f"{folder}/**", f"{tmp_path}/**/hour/**/*.jsonl"):
        assert list_glob(pattern) == [folder / "hour" / "b.jsonl"]
    assert list_glob(f"{tmp_path}/li*/**/*.jsonl") == [tmp_path / "link" / "hour" / "b.jsonl"]


def test_a_link_that_leads_nowhere_is_listed(tmp_path: Path) -> None:
    """The spans that it stood for are lost, and not in silence."""
    (tmp_path / "self.jsonl").symlink_to("self.jsonl")
    (tmp_path / "gone.jsonl").symlink_to("gone")
    (tmp_path / "gone.txt").symlink_to("gone")
    assert [path.name for path in list_directory(tmp_path)] == ["gone.jsonl", "self.jsonl"]
    assert [path.name for path in list_glob(f"{tmp_path}/*.jsonl")] == ["gone.jsonl", "self.jsonl"]


def test_a_pattern_leaves_hidden_files_and_folders_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shell does, unless it names them."""
    monkeypatch.chdir(tmp_path)
    for folder in (Path(".git"), Path("day")):
        folder.mkdir()
        fill(folder, "x.jsonl", ".y.jsonl")
    assert list_glob("**/*.jsonl") == [Path("day/x.jsonl")]
    assert list_glob(".git/**/.*.jsonl") == [Path(".git/.y.jsonl")]


def test_a_folder_whose_name_looks_like_a_pattern_is_that_folder(tmp_path: Path) -> None:
    """What stands before the pattern and exists by its name is meant by its name."""
    (tmp_path / "run[1]").mkdir()
    (tmp_path / "run1").mkdir()
    fill(tmp_path / "run[1]", "a.jsonl")
    fill(tmp_path / "run1", "b.jsonl")
    assert list_glob(f"{tmp_path}/run[1]/*.jsonl") == [tmp_path / "run[1]" / "a.jsonl"]
    assert list_glob(f"{tmp_path}/run[[]1]/*.jsonl") == [tmp_path / "run[1]" / "a.jsonl"]
    assert [path.name for path in list_glob(f"{tmp_path}/run*/*.jsonl")] == ["b.jsonl", "a.jsonl"]


def test_a_pattern_that_meets_nothing_is_refused(tmp_path: Path) -> None:
    """An empty answer would look like a run without telemetry."""
    with pytest.raises(SourceError, match="meets no file"):
        list_glob(f"{tmp_path}/*.jsonl")


def test_a_rotated_file_that_is_just_being_packed_is_read_once(tmp_path: Path) -> None:
    """The packed one is not whole yet, and the other is still there."""
    rotated = "traces-2026-11-30T09-48-52.188-size.jsonl"
    fill(tmp_path, rotated, f"{rotated}.gz", "traces.jsonl", "traces.jsonl.gz")
    expected = [rotated, "traces.jsonl", "traces.jsonl.gz"]
    assert [path.name for path in list_directory(tmp_path)] == expected
    assert [path.name for path in list_glob(f"{tmp_path}/*")] == expected
