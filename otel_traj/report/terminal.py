"""What the output can show: its width, its characters, and that it never fails on either."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from typing import TYPE_CHECKING, Final

from otel_traj.report.branch import ASCII_GLYPHS, GLYPHS

if TYPE_CHECKING:
    from otel_traj.report.branch import Glyphs

__all__ = ["choose_glyphs", "discard_output", "escape_unencodable", "measure_width"]

_WIDTH: Final = 80


def measure_width() -> int:
    """Return the characters of a line of the terminal; 80 where stdout is none."""
    return shutil.get_terminal_size((_WIDTH, 24)).columns if sys.stdout.isatty() else _WIDTH


def choose_glyphs() -> Glyphs:
    """Return what a tree is drawn with: box characters, or ASCII where stdout can't encode them."""
    try:
        "".join((GLYPHS.inner, GLYPHS.last, GLYPHS.below_inner)).encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII_GLYPHS
    return GLYPHS


def escape_unencodable() -> None:
    """Make stdout and stderr escape what their encoding lacks, instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def discard_output() -> None:
    """Let the interpreter's own flush at exit go nowhere instead of into a broken pipe."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
