"""Where a command that makes a file puts it, and what it says of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from otel_traj.report import write_whole_file
from otel_traj.sources import refuse_to_overwrite

if TYPE_CHECKING:
    from otel_traj.sources import Source

__all__ = ["OUT_HELP", "put_output", "refuse_output"]

OUT_HELP: Final = "the file, written over an earlier one; - for stdout"

_STDOUT: Final = "-"


def refuse_output(path: str, source: Source) -> None:
    """Refuse a file that the source reads.

    Args:
        path: As typed.
        source: What is read.

    Raises:
        SinkError: It does.
    """
    if path != _STDOUT:
        refuse_to_overwrite(Path(path), source)


def put_output(path: str, text: str, told: str, *, what: str) -> None:
    """Write a text, and say so on stdout; where that takes the text, on stderr.

    Args:
        path: As typed.
        text: All of it.
        told: What there is to say, after the name of the file.
        what: What it is, for the words of an error.

    Raises:
        SinkError: The file can't be written.
    """
    if path == _STDOUT:
        sys.stdout.write(text)
        print(f"stdout: {told}", file=sys.stderr)
    else:
        write_whole_file(path, text, what=what)
        print(f"{path}: {told}")
