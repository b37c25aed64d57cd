from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import SourceError
from otel_traj.sources import open_source
from otel_traj.sources.files.discovery import list_directory, list_glob
from tests.sources.files.numbered_spans import GOOD, names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.model import SourceProblem

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


TURNED = [
    "app.json.2026-11-28",
    "app.json.2026-11-29_23-00-00",
    "app.json",
    "traces.jsonl.10.gz",
    "traces.jsonl.2.bz2",
    "traces.jsonl.1",
    "traces.jsonl-20261128.gz",
    "traces.jsonl-20261129",
    "traces.jsonl-2026112923",
    "traces-2026-11-30T09-48-52.188-size.jsonl",
    "traces.jsonl",
]


def test_files_that_logrotate_turned_are_read_from_the_oldest(tmp_path: Path) -> None:
    """By its numbers, of which the highest is the oldest, or by its dates; the live one last."""
    fill(tmp_path, *TURNED, "traces.jsonl.bak", "notes.txt.1", "traces.jsonl.old-20261129")
    assert [path.name for path in list_directory(tmp_path)] == TURNED


def test_a_turned_file_that_is_just_being_packed_is_read_once(tmp_path: Path) -> None:
    """The packed one is not whole yet."""
    fill(tmp_path, "traces.jsonl.1", "traces.jsonl.1.gz", "traces.jsonl")
    assert [path.name for path in list_directory(tmp_path)] == ["traces.jsonl.1", "traces.jsonl"]


@pytest.mark.parametrize("pattern", [f"{'a' * 300}/*.json", "a\0b/*.json", f"{'a' * 300}*/{'b' * 300}"])
def test_a_pattern_that_can_be_no_name_meets_nothing(pattern: str) -> None:
    """What the operating system says about it is no error of its own."""
    with pytest.raises(SourceError, match="meets no file"):
        open_source(pattern)


@pytest.fixture
def forbidden() -> Iterator[Path]:
    """Yield a folder with `open`, `closed` (names without files) and `dark` (nothing), each of which holds a span."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    for number, (name, mode) in enumerate({"open": 0o755, "closed": 0o644, "dark": 0o200}.items()):
        (folder / name).mkdir()
        (folder / name / "x.jsonl").write_bytes(GOOD[number])
        (folder / name).chmod(mode)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if is_root:
            os.seteuid(0)
        for inner in folder.iterdir():
            inner.chmod(0o700)
        shutil.rmtree(folder)


def read(name: str) -> tuple[list[str], list[SourceProblem]]:
    """Return the names of a source's spans, and its problems."""
    problems: list[SourceProblem] = []
    return names(list(open_source(name).read_spans(problems.append))), problems


@pytest.mark.parametrize("pattern", ["*/*.jsonl", "**/*.jsonl", "*/x.jsonl"])
def test_a_folder_without_rights_costs_only_itself(forbidden: Path, pattern: str) -> None:
    """What a pattern would meet in it is missing, and not in silence."""
    found, problems = read(f"{forbidden}/{pattern}")
    assert found == ["1"]
    assert {problem.code for problem in problems} == {"unreadable_file"}
    assert {Path(problem.source).relative_to(forbidden).parts[0] for problem in problems} == {
        "closed",
        "dark",
    }


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("closed", "can't be read .Permission denied"),
        ("closed/*.jsonl", "can't be read .Permission denied"),
        ("dark", "can't be listed .Permission denied"),
        ("dark/*.jsonl", "can't be listed .Permission denied"),
        ("dark/x.jsonl", "can't be read .Permission denied"),
    ],
)
def test_a_folder_without_rights_alone_is_refused(forbidden: Path, name: str, words: str) -> None:
    """With what the operating system said, not with what it did not show."""
    with pytest.raises(SourceError, match=words):
        read(f"{forbidden}/{name}")
