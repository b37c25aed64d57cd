"""Say in one line what a log ends in, for messages of one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_last_line"]


def read_last_line(log: Path) -> str:
    """Return the last line with anything in it, stripped; a log that is empty says so."""
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")
