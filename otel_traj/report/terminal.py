"""What the terminal can show, its width and its characters, and what starts this program there."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from otel_traj.report.escape import wrap
from otel_traj.report.runs.branch import ASCII_GLYPHS, GLYPHS

if TYPE_CHECKING:
    from typing import TextIO

    from otel_traj.report.runs.branch import Glyphs

__all__ = [
    "choose_glyphs",
    "discard_output",
    "escape_unencodable",
    "fit_stderr",
    "measure_width",
    "name_program",
]

_PROGRAM: Final = "otel-traj"
_WIDTH: Final = 80


def measure_width() -> int:
    """Return the characters of a line of the terminal; 80 where stdout is none."""
    return _measure(sys.stdout) if sys.stdout.isatty() else _WIDTH


def fit_stderr(text: str) -> str:
    """Return a sentence for stderr: wrapped where that is a terminal, else one line that can be searched for.

    Args:
        text: Already escaped.
    """
    if not sys.stderr.isatty():
        return text
    return "\n".join(wrap(text, width=_measure(sys.stderr), hanging="    "))


def _measure(terminal: TextIO) -> int:
    """As `shutil.get_terminal_size`, which asks stdout alone: either stream may be sent elsewhere."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdecimal() and int(columns):
        return int(columns)
    with contextlib.suppress(OSError, ValueError):
        return os.get_terminal_size(terminal.fileno()).columns or _WIDTH
    return _WIDTH


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


def name_program() -> str:
    """Return what starts this program again from the current folder, as a shell takes it.

    `otel-traj` where that is found on the PATH, else the path by which this process was started.
    """
    if shutil.which(_PROGRAM):
        return _PROGRAM
    is_script = Path(sys.argv[0]).stem == _PROGRAM
    path = sys.argv[0] if is_script else sys.executable
    with contextlib.suppress(ValueError):  # it lies on another drive
        path = min(path, os.path.relpath(path), key=len)
    words = [path if os.sep in path else os.curdir + os.sep + path]
    return shlex.join(words if is_script else [*words, "-m", "otel_traj"])
