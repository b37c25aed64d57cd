"""A warning that points at the program that reads, whatever of this package lies between.

What warns is called from generators that the program consumes in a loop, a `list` or a `next`, so no fixed number of
frames leads to it: they are counted. Python 3.12 could skip them by itself (`skip_file_prefixes`), 3.11 can't.
"""

from __future__ import annotations

import sys
import warnings

__all__ = ["warn_user"]

_PACKAGE = __name__.partition(".")[0]


def warn_user(message: str) -> None:
    """Issue a `UserWarning` at the innermost line that is not of this package.

    Args:
        message: What the user is told.
    """
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)
