"""The collector fragments of docs/stacks.md and docs/collector.md, as files that a collector reads beside its configuration."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["read_fragment", "write_fragment"]

PAGES = [Path(__file__).parents[2] / "docs" / name for name in ("stacks.md", "collector.md")]
BLOCK = re.compile(r"^```yaml\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read_fragment(name: str) -> str:
    """Return the text of the block that is called so in its first line.

    Raises:
        KeyError: There is none.
    """
    texts = (page.read_text("utf-8") for page in PAGES)
    return {found[1]: found[2] for text in texts for found in BLOCK.finditer(text)}[name]


def write_fragment(directory: Path, name: str, edits: Mapping[str, str] | None = None) -> Path:
    """Write a fragment into a folder, with texts (each of which stands in it once) replaced by others.

    Returns:
        Where it lies.
    """
    text = read_fragment(name)
    for before, after in (edits or {}).items():
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    path = directory / name
    path.write_text(text, "utf-8")
    return path
