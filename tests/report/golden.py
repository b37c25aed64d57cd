"""Gold files: a layout as it was last agreed on."""

from __future__ import annotations

from pathlib import Path

__all__ = ["compare_with_gold"]

_FOLDER = Path(__file__).parent / "gold"


def compare_with_gold(name: str, text: str) -> None:
    """Assert that a text is what its gold file holds; a file that is missing is written, and the test fails."""
    path = _FOLDER / name
    if not path.exists():
        path.write_text(text + "\n", encoding="utf-8")
        raise AssertionError(f"{name} was missing and is written: read it, then run again")
    assert text + "\n" == path.read_text(encoding="utf-8")
