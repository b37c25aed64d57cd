"""Which files a directory or a glob pattern stands for, and in which order.

A collector's file exporter with rotation leaves `traces-2026-11-30T09-48-52.188-size.jsonl` (timberjack; without
the reason in older releases, lumberjack) beside the live `traces.jsonl` (seen with contrib 0.161.0). Files of one
base name are read by the time in their names, the live one last, packed or not; the rest by name. A name only says
that a file may hold spans; what it holds is told by its bytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from otel_traj.errors import SourceError
from otel_traj.sources.files.glob_pattern import expand_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["is_listed_in_directory", "list_directory", "list_glob", "may_be_listed"]

_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".pb", ".proto", ".binpb")
_PACKED: Final = (".gz", ".zst", ".zstd")
_ROTATED = re.compile(
    r"(?P<base>.+)-(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3})(?:-[a-z]+)?", re.IGNORECASE
)


def list_directory(directory: Path) -> list[Path]:
    """Return the files of a directory that may hold spans, in reading order.

    Args:
        directory: An existing directory; those inside it are not looked into.

    Raises:
        SourceError: It can't be listed, or holds no such file.
    """
    try:
        files = [path for path in directory.iterdir() if _may_hold_spans(path)]
    except OSError as error:
        raise SourceError(
            f"directory {str(directory)!r} can't be listed ({error.strerror}); its files can't be read; check its "
            "path and rights",
            source=str(directory),
        ) from error
    if not files:
        raise SourceError(
            f"directory {str(directory)!r} holds no file that ends in {', '.join(_SUFFIXES)} (or one of these and "
            f"{', '.join(_PACKED)}); there is nothing to read; name the files by a glob pattern, or a directory that holds "
            "them",
            source=str(directory),
        )
    return _put_in_order(files)


def list_glob(pattern: str) -> list[Path]:
    """Return the files that a glob pattern meets, in reading order.

    Args:
        pattern: With `*`, `?`, `[...]`, and `**` for directories of any depth (links to them are not followed).

    Raises:
        SourceError: It meets no file.
    """
    files = {path for path in expand_pattern(pattern) if path.is_file() or _is_broken_link(path)}
    if not files:
        raise SourceError(
            f"the pattern {pattern!r} meets no file; there is nothing to read; check the pattern, and quote it so "
            "that the shell leaves it alone",
            source=pattern,
        )
    return _put_in_order(files)


def is_listed_in_directory(directory: Path, path: Path) -> bool:
    """Return whether a directory's listing takes a file, or would if it were there.

    Args:
        directory: The directory.
        path: The file.
    """
    return path.parent.resolve() == directory.resolve() and may_be_listed(path.name)


def may_be_listed(name: str) -> bool:
    """Return whether a directory's listing takes a file of this name.

    Args:
        name: Without its folder.
    """
    stem, suffix, packed = _split_suffixes(name)
    if name.startswith("."):
        return False
    # The collector packs what its configuration calls `traces.zst`, too; of an archive, the inner name tells.
    return bool(suffix) or (bool(packed) and "." not in _split_time(stem)[0])


def _may_hold_spans(path: Path) -> bool:
    return may_be_listed(path.name) and (path.is_file() or _is_broken_link(path))


def _put_in_order(files: Iterable[Path]) -> list[Path]:
    """Return files in reading order, without rotated ones that are just being packed: they are there unpacked."""
    paths = set(files)
    return sorted((path for path in paths if not _is_half_packed(path, paths)), key=_reading_order)


def _is_half_packed(path: Path, paths: set[Path]) -> bool:
    stem, _, packed = _split_suffixes(path.name)
    unpacked = path.with_name(path.name[: len(path.name) - len(packed)])
    return bool(packed) and bool(_split_time(stem)[1]) and unpacked in paths


def _is_broken_link(path: Path) -> bool:
    """Whether a name leads nowhere: it is listed too, because the spans that it stood for are lost."""
    return path.is_symlink() and not path.exists()


def _reading_order(path: Path) -> tuple[str, str, bool, str, str]:
    stem, suffix, packed = _split_suffixes(path.name)
    base, time = _split_time(stem)
    if not (time or suffix or packed):
        base, time = _split_time(path.stem)
    return str(path.parent), base, not time, time, path.name


def _split_suffixes(name: str) -> tuple[str, str, str]:
    """Return a name without the suffixes that are known, and these."""
    packed = _find_suffix(name, _PACKED)
    inner = name[: len(name) - len(packed)]
    suffix = _find_suffix(inner, _SUFFIXES)
    return inner[: len(inner) - len(suffix)], suffix, packed


def _find_suffix(name: str, suffixes: tuple[str, ...]) -> str:
    return next((suffix for suffix in suffixes if name.lower().endswith(suffix)), "")


def _split_time(stem: str) -> tuple[str, str]:
    """Return the base of a rotated name and the time in it; the name and nothing where it is none."""
    rotated = _ROTATED.fullmatch(stem)
    return (rotated["base"], rotated["time"]) if rotated else (stem, "")
