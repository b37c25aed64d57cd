"""Whether two paths are one file, so that nothing is written over what it is made from."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["is_same_file"]


def is_same_file(path: str | Path, other: str | Path) -> bool:
    """Return whether two paths are one file, links followed.

    Args:
        path: It need not be there.
        other: Neither need this one.
    """
    try:
        return Path(path).samefile(other)
    except OSError:
        # `Path.resolve` raises where links lead in a circle (Python before 3.13).
        return os.path.realpath(path) == os.path.realpath(other)
