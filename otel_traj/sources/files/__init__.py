"""Files, directories, glob patterns and stdin: which files are meant, how they are packed, and what is in them."""

from __future__ import annotations

__all__: list[str] = []
