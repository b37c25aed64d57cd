"""What a user names, to the source it means.

A name is looked at in this order: `-`, a scheme, an existing file or directory, a glob pattern. What can be
refused is refused here, before a long reading begins: a missing file, an empty directory, a file without rights.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, TypeGuard

from otel_traj.errors import SourceError, TrajectoryTypeError
from otel_traj.model import Span
from otel_traj.sources.backend.address import hide_user
from otel_traj.sources.chained import ChainedSource
from otel_traj.sources.files.discovery import is_listed_in_directory, list_directory, list_glob
from otel_traj.sources.files.glob_pattern import meets_pattern
from otel_traj.sources.files.io_errors import make_source_error
from otel_traj.sources.files.source import FileSource, FilesSource, StdinSource
from otel_traj.sources.memory import ExporterSource, SpansSource, SupportsFinishedSpans
from otel_traj.sources.protocol import Source
from otel_traj.sources.sdk_spans import is_sdk_span

__all__ = ["describe_defaults", "open_source"]

_SCHEME: Final = re.compile(r"([^/]*)://")
_JAEGER: Final = frozenset({"jaeger+http", "jaeger+https"})
_TEMPO: Final = frozenset({"tempo+http", "tempo+https"})
_MAX_DEPTH: Final = 8
_GLOB: Final = frozenset("*?[")
_READABLE: Final = (
    "a file, a directory, a glob pattern, '-' for stdin, jaeger+http://host:16686, tempo+http://host:3200, an "
    "in-memory exporter, or an iterable of spans"
)


def open_source(source: object) -> Source:
    """Return the source that a user names.

    Args:
        source: The name of a file, a directory (its `*.json`, `*.jsonl` and `*.ndjson` files), a glob pattern or
            `-` (stdin), as a string or path; `jaeger+http(s)://host:16686`, `tempo+http(s)://host:3200`, with a base
            path and parameters (a leading `~` is the home directory); an object with `get_finished_spans()`; an iterable of SDK spans or
            `Span` records; a list or tuple of any of these; a source.

    Returns:
        A source; of files nothing is read yet.

    Raises:
        SourceError: What is named is not there, can't be read, or is of a kind this version does not read.
        TrajectoryTypeError: The object is no place that spans can be read from.
    """
    return _open(source, 0)


def describe_defaults(source: Source) -> str:
    """Return in words what is read of a source whose name leaves it open; empty where all of it is read.

    Args:
        source: A source that was opened.
    """
    words = getattr(source, "defaults", "")
    return words if isinstance(words, str) else ""


def _open(source: object, depth: int) -> Source:
    if isinstance(source, Source):
        return source
    if isinstance(source, str):
        return _open_name(source)
    if isinstance(source, os.PathLike):
        path = os.fspath(source)
        if isinstance(path, str):
            with _hiding_password(path):
                return _open_path(Path(_expand_home(path)), path)
    if isinstance(source, SupportsFinishedSpans):
        return ExporterSource(source)
    if _may_hold_spans(source):
        return _open_members(source, depth) if isinstance(source, Sequence) else SpansSource(source)
    raise TrajectoryTypeError(
        f"a {type(source).__name__} is no source of spans; there is nothing in it to read; pass {_READABLE}"
    )


def _open_name(name: str) -> Source:
    if name == "-":
        return StdinSource()
    scheme = _SCHEME.match(name)
    kind = scheme[1].lower() if scheme else ""
    if kind in _JAEGER:
        from otel_traj.sources.jaeger.source import JaegerSource

        return JaegerSource(name)
    if kind in _TEMPO:
        from otel_traj.sources.tempo.source import TempoSource

        return TempoSource(name)
    if scheme:
        raise _refuse_scheme(name, scheme[1])
    if not name:
        raise SourceError(
            f"the source has an empty name; there is nothing to read; pass {_READABLE}", source=name
        )
    with _hiding_password(name):
        return _open_files(name)


def _open_files(name: str) -> Source:
    try:
        return _open_path(Path(_expand_home(name)), name)
    except SourceError:
        if not _GLOB.intersection(name):
            raise
    pattern = _expand_home(name)
    list_glob(pattern)
    return FilesSource(name, partial(list_glob, pattern), partial(meets_pattern, pattern))


@contextmanager
def _hiding_password(name: str) -> Iterator[None]:
    """Say in other words what is wrong with a name that may be a misspelt address: it would stand in the error."""
    try:
        yield
    except SourceError:
        shown = hide_user(name)
        if shown == name or os.path.lexists(name):
            raise
        raise SourceError(
            f"{shown!r} is neither a file nor an address; there is nothing to read; write an address with its scheme and "
            f"'://', or pass {_READABLE}",
            source=shown,
        ) from None


def _refuse_scheme(name: str, scheme: str) -> SourceError:
    shown = hide_user(name)
    rest = shown.partition("://")[2]
    known = {
        "http": f"jaeger+http://{rest} or tempo+http://{rest} if one of these is there",
        "https": f"jaeger+https://{rest} or tempo+https://{rest} if one of these is there",
        "jaeger": f"jaeger+http://{rest} if its query address is meant",
        "tempo": f"tempo+http://{rest} if its query address is meant",
    }.get(scheme.lower())
    meant = f"write {known}, else " if known else ""
    return SourceError(
        f"{shown!r} can't be read by this version; it knows no source with the scheme {scheme!r}; {meant}save the "
        f"traces as OTLP JSON, and pass {_READABLE}",
        source=shown,
    )


def _expand_home(name: str) -> str:
    """Return a name whose leading `~` is the home directory: a quoted pattern comes past the shell with it."""
    return os.path.expanduser(name)  # noqa: PTH111 - `Path.expanduser` raises where no user is called so


def _open_path(path: Path, name: str) -> Source:
    if _is_directory(path, name):
        list_directory(path)
        return FilesSource(name, lambda _: list_directory(path), partial(is_listed_in_directory, path))
    return FileSource(path, name)


def _is_directory(path: Path, name: str) -> bool:
    """Return whether a path is a directory; refuse one that can't be read."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            # Of what is no regular file nothing is tried: opening a pipe once would end it for its writer.
            with path.open("rb"):
                pass
    except OSError as error:
        raise make_source_error(name, error) from error
    except ValueError as error:
        raise SourceError(
            f"{name!r} is no name of a file ({error}); nothing can be read from it; pass {_READABLE}",
            source=name,
        ) from error
    return stat.S_ISDIR(mode)


def _open_members(members: Sequence[object], depth: int) -> Source:
    if depth == _MAX_DEPTH:
        raise TrajectoryTypeError(
            f"a list of sources is nested more than {_MAX_DEPTH} deep; it may hold itself, and opening it would never "
            f"end; pass a flat list, or {_READABLE}"
        )
    if all(isinstance(member, Span) or is_sdk_span(member) for member in members):
        return SpansSource(members)
    return ChainedSource([_open(member, depth + 1) for member in members])


def _may_hold_spans(source: object) -> TypeGuard[Iterable[object]]:
    if isinstance(source, Mapping | bytes | bytearray | memoryview | Span) or hasattr(source, "read"):
        return False
    return isinstance(source, Iterable) and not is_sdk_span(source)
