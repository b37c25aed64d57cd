"""What a glob pattern meets, without walking in circles.

The standard library's `**` follows links to directories: two links to one's own folder make more paths than can
be walked (seen with Python 3.11). Here, as in a shell, only directories that are none are gone down into. What
stands before the pattern and exists by its name is meant by its name, whatever brackets it holds.
"""

from __future__ import annotations

import fnmatch
import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["expand_pattern", "meets_pattern"]

_ANY_DEPTH: Final = "**"


def expand_pattern(pattern: str) -> Iterator[Path]:
    """Yield files and directories that a pattern meets, some perhaps twice; hidden ones only where it names them.

    Args:
        pattern: With `*`, `?`, `[...]`, and `**` for directories of any depth.
    """
    folder, rest = _split_folder(pattern.replace(os.sep, "/"))
    yield from _expand(Path(folder), rest.split("/"))


def meets_pattern(pattern: str, path: Path) -> bool:
    """Return whether a pattern meets a file, or would if it were there.

    Args:
        pattern: As `expand_pattern` takes it.
        path: The file.
    """
    folder, rest = _split_folder(pattern.replace(os.sep, "/"))
    try:
        below = path.parent.resolve().relative_to(Path(folder).resolve()) / path.name
    except ValueError:
        return False
    return _meets(rest.split("/"), below.parts)


def _meets(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == _ANY_DEPTH:
        return _meets(pattern[1:] or ["*"], parts) or (
            len(parts) > 1 and not parts[0].startswith(".") and _meets(pattern, parts[1:])
        )
    if not parts or (parts[0].startswith(".") and not pattern[0].startswith(".")):
        return False
    return fnmatch.fnmatchcase(parts[0], pattern[0]) and _meets(pattern[1:], parts[1:])


def _split_folder(pattern: str) -> tuple[str, str]:
    """Return the longest beginning of a pattern that is a directory by its name, and the rest."""
    end = len(pattern)
    while (end := pattern.rfind("/", 0, end)) >= 0:
        folder, rest = pattern[: end + 1], pattern[end + 1 :]
        if Path(folder).is_dir():
            return folder, rest
    return "", pattern


def _expand(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    if _ANY_DEPTH not in parts:
        for name in glob.glob("/".join(parts), root_dir=folder):  # noqa: PTH207 - pathlib's meets hidden files
            yield folder / name
        return
    place = parts.index(_ANY_DEPTH)
    before, after = parts[:place], parts[place + 1 :] or ["*"]
    for start in _expand(folder, before) if before else [folder]:
        for below in _walk_folders(start):
            yield from _expand(below, after)


def _walk_folders(start: Path) -> Iterator[Path]:
    """Yield a directory and all below it that are neither links nor hidden; what can't be listed is passed over."""
    waiting = [start]
    while waiting:
        folder = waiting.pop()
        yield folder
        try:
            with os.scandir(folder) as entries:
                waiting += [
                    folder / entry.name
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
                ]
        except OSError:
            continue
