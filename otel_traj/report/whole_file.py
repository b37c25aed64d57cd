"""A file written whole or not at all, over what is there.

A job that is killed while it writes leaves the old file or the new one, never half of one. What is no regular file
(a pipe, `/dev/stderr`) is written straight.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from otel_traj.errors import SinkError

__all__ = ["write_whole_file"]


def write_whole_file(path: str | os.PathLike[str], text: str, *, what: str) -> None:
    """Write a text as UTF-8.

    Args:
        path: The file; its folder is there.
        text: All of it.
        what: What it is, for the words of an error: `the junit report`.

    Raises:
        SinkError: The file can't be written; what was there is still there.
    """
    try:
        _write(Path(path), text.encode())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        words = f"{what} can't be written to {os.fspath(path)!r} ({reason}), so that it is not there"
        raise SinkError(
            f"{words}; name a file in a folder that is there and can be written to", path=os.fspath(path)
        ) from error


def _write(path: Path, data: bytes) -> None:
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    scratch = path.with_name(f".otel-traj-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        with scratch.open("xb") as file:
            file.write(data)
        scratch.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            scratch.unlink()
        raise
