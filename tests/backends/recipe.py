"""What Go needs to be told to build a backend of the tests, and where the finished one lies.

A recipe is data: the files that say what is built, and the words that Go is given in a folder that holds copies of
them. The name in the cache holds a hash of it all, so a changed recipe is another binary and never an old one under a
new name.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SETTINGS", "Recipe"]

# Without cgo the binary is static, and a cache folder shared between systems holds nothing that runs on one only.
SETTINGS = {"CGO_ENABLED": "0", "GOWORK": "off"}
"""Variables that Go is run with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How one backend is built."""

    name: str
    """What messages call it: one word."""
    version: str
    minutes: str
    """How long the first build takes, in words."""
    stem: str
    """What its name in the cache begins with."""
    files: tuple[Path, ...]
    """What is copied into the folder that Go works in; their text decides what is built."""
    arguments: tuple[str, ...]
    """What `go` is given."""
    output: str
    """Where the executable is then, relative to that folder."""
    parts: frozenset[tuple[str, str]]
    """What must be built in: kind and configuration name of each part."""

    def locate(self) -> Path:
        """Return where this backend lies, or would lie, in the user's cache folder."""
        configured = os.environ.get("XDG_CACHE_HOME", "")
        # A relative XDG_CACHE_HOME is to be ignored (XDG Base Directory Specification 0.8).
        root = Path(configured) if configured.startswith("/") else Path.home() / ".cache"
        texts = [path.read_text(encoding="utf-8") for path in self.files]
        inputs = [texts, self.arguments, SETTINGS, sys.platform, platform.machine()]
        return root / "otel-traj" / f"{self.stem}-{hashlib.sha256(repr(inputs).encode()).hexdigest()[:16]}"

    def find_built(self) -> Path | None:
        """Return the executable in the cache folder, or None where it was not built yet."""
        path = self.locate()
        return path if os.access(path, os.X_OK) else None
