"""What a glob pattern meets, without walking in circles.

The standard library's `**` follows links to directories: two links to one's own folder make more paths than can
be walked, and what can't be listed is passed over in silence (seen with Python 3.11). Here `**`, as in a shell, goes
down only into directories that are no links. What stands before the pattern and exists by its name is meant by its
name, whatever brackets it holds.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["OnUnlisted", "expand_pattern", "meets_pattern"]

OnUnlisted: TypeAlias = Callable[[Path, OSError], None]
"""Takes a directory that can't be listed, and what the operating system said."""

_ANY_DEPTH: Final = "**"
_MAGIC: Final = frozenset("*?[")


def expand_pattern(pattern: str, on_unlisted: OnUnlisted) -> Iterator[Path]:
    """Yield files and directories that a pattern meets, some perhaps twice; hidden ones only where it names them.

    Args:
        pattern: With `*`, `?`, `[...]`, and `**` for directories of any depth.
        on_unlisted: Called with each directory that can't be listed, and why.
    """
    folder, rest = _split_folder(pattern.replace(os.sep, "/"))
    yield from _expand(Path(folder), rest.split("/"), on_unlisted)


def meets_pattern(pattern: str, path: Path) -> bool:
    """Return whether a pattern meets a file, or would if it were there.

    Args:
        pattern: As `expand_pattern` takes it.
        path: The file.
    """
    folder, rest = _split_folder(pattern.replace(os.sep, "/"))
    try:
        below = Path(os.path.realpath(path.parent)).relative_to(os.path.realpath(folder)) / path.name
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
        # `Path.is_dir` raises where a name is too long, or a folder above may not be looked into.
        if os.path.isdir(folder):  # noqa: PTH112
            return folder, rest
    return "", pattern


def _expand(folder: Path, parts: Sequence[str], on_unlisted: OnUnlisted) -> Iterator[Path]:
    if not parts:
        yield folder
        return
    part, rest = parts[0], parts[1:]
    if part == _ANY_DEPTH:
        for below in _walk_folders(folder, on_unlisted):
            yield from _expand(below, rest or ["*"], on_unlisted)
    elif _MAGIC.isdisjoint(part):
        if _is_there(folder, part, on_unlisted):
            yield from _expand(folder / part, rest, on_unlisted)
    else:
        for entry in _list_entries(folder, on_unlisted):
            if _meets([part], [entry.name]):
                yield from _expand(folder / entry.name, rest, on_unlisted)


def _is_there(folder: Path, name: str, on_unlisted: OnUnlisted) -> bool:
    try:
        (folder / name).lstat()
    except PermissionError as error:
        on_unlisted(folder, error)
        return False
    except (OSError, ValueError):
        return False
    return True


def _walk_folders(start: Path, on_unlisted: OnUnlisted) -> Iterator[Path]:
    """Yield a directory and all below it that are neither links nor hidden."""
    waiting = [start]
    while waiting:
        folder = waiting.pop()
        yield folder
        waiting += [
            folder / entry.name
            for entry in _list_entries(folder, on_unlisted)
            if not entry.name.startswith(".") and _is_folder(entry)
        ]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        # Some file systems are asked about each name, and refuse where the folder may not be looked into.
        return False


def _list_entries(folder: Path, on_unlisted: OnUnlisted) -> list[os.DirEntry[str]]:
    """Return what a directory holds; nothing where it is none, or can't be listed."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        on_unlisted(folder, error)
        return []
