"""Which files a directory or a glob pattern stands for, and in which order.

A collector's file exporter with rotation leaves `traces-2026-11-30T09-48-52.188-size.jsonl` (timberjack; without
the reason in older releases, lumberjack) beside the live `traces.jsonl` (seen with contrib 0.161.0); logrotate
leaves `traces.jsonl.1`, `traces.jsonl-20261130`, packed or not (its manual of 3.22). Files of one base name are read
by the time in their names, the live one last; the rest by name. A name only says that a file may hold spans; what it
holds is told by its bytes.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from otel_traj.errors import SourceError
from otel_traj.sources.files.glob_pattern import expand_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["OnRefused", "is_listed_in_directory", "list_directory", "list_glob", "may_be_listed"]

OnRefused: TypeAlias = Callable[[SourceError], None]
"""Takes the error of a directory that can't be listed beside others that can."""

_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".pb", ".proto", ".binpb")
_PACKED: Final = (".gz", ".zst", ".zstd")
# Not unpacked, but listed behind a suffix, so that its reader refuses it with words.
_OTHERWISE_PACKED: Final = (".bz2", ".xz")
_ROTATED = re.compile(
    r"(?P<base>.+)-(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3})(?:-[a-z]+)?", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?P<name>.+)\.(?P<number>\d{1,6})")
_DATED = re.compile(r"(?P<name>.+)[-.](?P<time>\d{4}-?\d\d-?\d\d[-_T\d]*)")
_MAX_NUMBER: Final = 10**6


class _Name(Struct, frozen=True):
    """What a file's name says."""

    base: str
    time: str
    """Sorts by age; empty for a file that was not rotated."""
    suffix: str
    packed: str


def list_directory(directory: Path) -> list[Path]:
    """Return the files of a directory that may hold spans, in reading order.

    Args:
        directory: An existing directory; those inside it are not looked into.

    Raises:
        SourceError: It can't be listed, or holds no such file.
    """
    try:
        files = [path for path in directory.iterdir() if may_be_listed(path.name) and _may_be_file(path)]
    except OSError as error:
        raise _refuse_directory(directory, error) from error
    if not files:
        raise SourceError(
            f"directory {str(directory)!r} holds no file that ends in {', '.join(_SUFFIXES)} (or one of these and "
            f"{', '.join(_PACKED)}); there is nothing to read; name the files by a glob pattern, or a directory that holds "
            "them",
            source=str(directory),
        )
    return _put_in_order(files)


def list_glob(pattern: str, on_refused: OnRefused | None = None) -> list[Path]:
    """Return the files that a glob pattern meets, in reading order.

    Args:
        pattern: With `*`, `?`, `[...]`, and `**` for directories of any depth (links to them are not followed).
        on_refused: Called with each directory that can't be listed, where others hold files that it meets.

    Raises:
        SourceError: It meets no file.
    """
    refused: list[SourceError] = []
    met = expand_pattern(pattern, lambda folder, error: refused.append(_refuse_directory(folder, error)))
    files = {path for path in met if _may_be_file(path)}
    if not files and refused:
        raise refused[0]
    if not files:
        raise SourceError(
            f"the pattern {pattern!r} meets no file; there is nothing to read; check the pattern, and quote it so "
            "that the shell leaves it alone",
            source=pattern,
        )
    if on_refused is not None:
        for error in refused:
            on_refused(error)
    return _put_in_order(files)


def is_listed_in_directory(directory: Path, path: Path) -> bool:
    """Return whether a directory's listing takes a file, or would if it were there.

    Args:
        directory: The directory.
        path: The file.
    """
    return os.path.realpath(path.parent) == os.path.realpath(directory) and may_be_listed(path.name)


def may_be_listed(name: str) -> bool:
    """Return whether a directory's listing takes a file of this name.

    Args:
        name: Without its folder.
    """
    said = _take_apart(name)
    if name.startswith("."):
        return False
    # The collector packs what its configuration calls `traces.zst`, too; of an archive, the inner name tells.
    return bool(said.suffix) or (said.packed in _PACKED and "." not in said.base)


def _refuse_directory(directory: Path, error: OSError) -> SourceError:
    return SourceError(
        f"directory {str(directory)!r} can't be listed ({error.strerror}); its files can't be read; check its "
        "path and rights",
        source=str(directory),
    )


def _may_be_file(path: Path) -> bool:
    """Return whether a name stands for a file; one that leads nowhere does too: what it stood for is lost."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return path.is_symlink()
    except OSError:
        # Opening it says why.
        return True


def _put_in_order(files: Iterable[Path]) -> list[Path]:
    """Return files in reading order, without rotated ones that are just being packed: they are there unpacked."""
    paths = set(files)
    return sorted((path for path in paths if not _is_half_packed(path, paths)), key=_reading_order)


def _is_half_packed(path: Path, paths: set[Path]) -> bool:
    said = _take_apart(path.name)
    unpacked = path.with_name(path.name[: len(path.name) - len(said.packed)])
    return bool(said.packed) and bool(said.time) and unpacked in paths


def _reading_order(path: Path) -> tuple[str, str, bool, str, str]:
    said = _take_apart(path.name)
    base, time = said.base, said.time
    if not (time or said.suffix or said.packed):
        base, time = _split_time(path.stem)
    return str(path.parent), base, not time, re.sub(r"\D", "", time), path.name


def _take_apart(name: str) -> _Name:
    packed = _find_suffix(name, (*_PACKED, *_OTHERWISE_PACKED))
    inner, turned = _split_turn(name[: len(name) - len(packed)])
    suffix = _find_suffix(inner, _SUFFIXES)
    base, time = _split_time(inner[: len(inner) - len(suffix)])
    return _Name(base, time or turned, suffix, packed)


def _split_turn(name: str) -> tuple[str, str]:
    """Return a name as it was before logrotate turned it, and its age; the name and nothing where it did not."""
    numbered = _NUMBERED.fullmatch(name)
    if numbered and _find_suffix(numbered["name"], _SUFFIXES):
        # The highest is the oldest, and no date.
        return numbered["name"], f"0{_MAX_NUMBER - int(numbered['number']):07}"
    dated = _DATED.fullmatch(name)
    if dated and _find_suffix(dated["name"], _SUFFIXES):
        return dated["name"], dated["time"]
    return name, ""


def _find_suffix(name: str, suffixes: tuple[str, ...]) -> str:
    return next((suffix for suffix in suffixes if name.lower().endswith(suffix)), "")


def _split_time(stem: str) -> tuple[str, str]:
    """Return the base of a rotated name and the time in it; the name and nothing where it is none."""
    rotated = _ROTATED.fullmatch(stem)
    return (rotated["base"], rotated["time"]) if rotated else (stem, "")
