"""Files as sources: one, several in order, and stdin.

Each can say whether it reads a certain file: whoever writes one asks before, so that nothing reads what it writes.
"""

from __future__ import annotations

import os
import sys
from io import BufferedReader
from typing import TYPE_CHECKING

from otel_traj.errors import SourceError
from otel_traj.model import SourceProblem
from otel_traj.sources.files.io_errors import make_source_error
from otel_traj.sources.files.same_file import is_same_file
from otel_traj.sources.files.streams import read_stream
from otel_traj.sources.protocol import ALL_SPANS, Capabilities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from otel_traj.model import Span
    from otel_traj.sources.files.discovery import OnRefused
    from otel_traj.sources.protocol import OnProblem, SpanQuery

__all__ = ["FileSource", "FilesSource", "StdinSource"]


class FileSource:
    """One file, whatever is in it and however it is packed."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        """Take the path; the file is opened at each reading.

        Args:
            path: An existing file.
            name: As the user named it; by default the path.
        """
        self._path = path
        self.name = name or str(path)
        """The place as it stands in problems and reports."""
        # A pipe is emptied by its first reading, and opening it again waits for another writer.
        self.capabilities = Capabilities(rereads=os.path.isfile(path))  # noqa: PTH113 - `Path.is_file` may raise
        """What the place can do."""

    def read_spans(self, on_problem: OnProblem, query: SpanQuery = ALL_SPANS) -> Iterator[Span]:  # noqa: ARG002 - a file gives all it has
        """Yield the spans of the file; see `Source`."""
        yield from _read_file(_open_file(self._path, self.name), self.name, on_problem)

    def would_read(self, path: Path) -> bool:
        """Return whether a file is this one.

        Args:
            path: It need not be there.
        """
        return is_same_file(self._path, path)


def _open_file(path: Path, name: str) -> BufferedReader:
    try:
        return path.open("rb")
    except OSError as error:
        raise make_source_error(name, error) from error


def _read_file(stream: BufferedReader, name: str, on_problem: OnProblem) -> Iterator[Span]:
    """Yield the spans that a file held when it was opened, and close it.

    It may grow while it is read, faster than it is read; special files (pipes, /proc) have no size.
    """
    with stream:
        yield from read_stream(stream, name, on_problem, size=os.fstat(stream.fileno()).st_size or None)


class FilesSource:
    """The files of a directory or of a glob pattern, in reading order."""

    def __init__(
        self, name: str, list_files: Callable[[OnRefused], Sequence[Path]], is_listed: Callable[[Path], bool]
    ) -> None:
        """Take the way to list the files; they are listed at each reading.

        Args:
            name: The directory or pattern as the user named it.
            list_files: Returns the files in order, or raises `SourceError`; it is given what takes the error of a
                directory whose files are missing among them.
            is_listed: Whether a file is one of them, or would be if it were there.
        """
        self._list_files = list_files
        self._is_listed = is_listed
        self.name = name
        """The place as it stands in problems and reports."""
        self.capabilities = Capabilities(rereads=True)
        """What the place can do."""

    def read_spans(self, on_problem: OnProblem, query: SpanQuery = ALL_SPANS) -> Iterator[Span]:  # noqa: ARG002 - a file gives all it has
        """Yield the spans of the files one after another; see `Source`.

        One empty file among others is no problem: a rotated collector begins with one. One that can't be opened
        (rotation may take it away, or it belongs to somebody else) is one; where none can, that is an error.
        """
        found = False
        empty: list[SourceProblem] = []

        def pass_on(problem: SourceProblem) -> None:
            if problem.code == "empty_source":
                empty.append(problem)
            else:
                on_problem(problem)

        for name, stream in self._open_files(on_problem):
            for span in _read_file(stream, name, pass_on):
                found = True
                yield span
        if not found and empty:
            on_problem(
                SourceProblem(
                    code="empty_source",
                    message=empty[0].message
                    if len(empty) == 1
                    else "none of the files holds a span that can be read; there is nothing to rebuild a "
                    "run from; check that the recording program flushed its spans before it ended, and that this is "
                    "where they went",
                    source=self.name,
                )
            )

    def would_read(self, path: Path) -> bool:
        """Return whether a file is one of these, or would be once it is written.

        Args:
            path: It need not be there.
        """
        return self._is_listed(path) or any(
            is_same_file(listed, path) for listed in self._list_files(lambda _: None)
        )

    def _open_files(self, on_problem: OnProblem) -> Iterator[tuple[str, BufferedReader]]:
        """Open one file after another; report those that can't be, unless that is all of them."""
        refused: SourceError | None = None
        opened = False

        def pass_on(error: SourceError) -> None:
            on_problem(SourceProblem(code="unreadable_file", message=str(error), source=error.source))

        for path in self._list_files(pass_on):
            name = str(path)
            try:
                stream = _open_file(path, name)
            except SourceError as error:
                refused = error
                pass_on(error)
            else:
                opened = True
                yield name, stream
        if refused is not None and not opened:
            raise refused


class StdinSource:
    """What is piped into the process; it can be read only once."""

    name = "-"
    """The place as it stands in problems and reports."""
    capabilities = Capabilities()
    """What the place can do: be read once."""

    def read_spans(self, on_problem: OnProblem, query: SpanQuery = ALL_SPANS) -> Iterator[Span]:  # noqa: ARG002 - a file gives all it has
        """Yield the spans of stdin; see `Source`."""
        buffer = getattr(sys.stdin, "buffer", None)
        if buffer is None:
            raise SourceError(
                "stdin is closed or has no bytes; no spans can be read from it; pipe a file into the command, or name it",
                source=self.name,
            )
        if isinstance(buffer, BufferedReader):
            yield from read_stream(buffer, self.name, on_problem)
            return
        stream = BufferedReader(buffer)
        try:
            yield from read_stream(stream, self.name, on_problem)
        finally:
            stream.detach()  # else stdin is closed together with its wrapper

    def would_read(self, path: Path) -> bool:
        """Return whether a file is piped in.

        Args:
            path: It need not be there.
        """
        try:
            return os.path.samestat(os.fstat(sys.stdin.fileno()), path.stat())
        except (AttributeError, OSError, ValueError):
            return False
