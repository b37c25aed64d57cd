"""Which files a directory or a glob pattern stands for, and in which order.

A collector's file exporter with rotation leaves `traces-2026-11-30T09-48-52.188-size.jsonl` (timberjack; without
the reason in older releases, lumberjack) beside the live `traces.jsonl` (seen with contrib 0.161.0). Files of one
base name are read by the time in their names, the live one last; the rest by name. Packed files are listed too:
left out in silence, their spans would be lost without a word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from otel_traj.errors import SourceError
from otel_traj.sources.files.glob_pattern import expand_pattern

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["list_directory", "list_glob"]

_SUFFIXES: Final = (".json", ".jsonl", ".ndjson")
_PACKED: Final = (".gz", ".zst")
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
            f"directory {str(directory)!r} holds no file that ends in {', '.join(_SUFFIXES)}; there is nothing to "
            "read; name the files by a glob pattern, or a directory that holds them",
            source=str(directory),
        )
    return sorted(files, key=_reading_order)


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
    return sorted(files, key=_reading_order)


def _may_hold_spans(path: Path) -> bool:
    name = path.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    is_named_so = name.endswith(_SUFFIXES) and not name.startswith(".")
    return is_named_so and (path.is_file() or _is_broken_link(path))


def _is_broken_link(path: Path) -> bool:
    """Whether a name leads nowhere: it is listed too, because the spans that it stood for are lost."""
    return path.is_symlink() and not path.exists()


def _reading_order(path: Path) -> tuple[str, str, bool, str, str]:
    stem, _, suffix = path.name.partition(".json")
    if not suffix and "." in path.name:
        stem = path.name.rpartition(".")[0]
    rotated = _ROTATED.fullmatch(stem)
    base, time = (rotated["base"], rotated["time"]) if rotated else (stem, "")
    return str(path.parent), base, rotated is None, time, path.name
