"""Two paths of one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.sources import is_same_file

if TYPE_CHECKING:
    from pathlib import Path


def test_links_and_detours_are_followed(tmp_path: Path) -> None:
    """Whether the file is there or is yet to be written."""
    there, link, folder = tmp_path / "a", tmp_path / "link", tmp_path / "folder"
    there.touch()
    link.symlink_to(there)
    folder.mkdir()
    assert is_same_file(str(there), str(link))
    assert is_same_file(str(tmp_path / "new"), str(folder / ".." / "new"))


def test_other_files_are_others(tmp_path: Path) -> None:
    """Of the same content, or not there."""
    one, other = tmp_path / "a", tmp_path / "b"
    one.touch()
    other.touch()
    for path in (str(other), str(tmp_path / "new")):
        assert not is_same_file(str(one), path)
