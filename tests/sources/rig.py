"""What a place of the contract suite is made with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

    import pytest

__all__ = ["Rig"]


class Rig(NamedTuple):
    """A folder, and what is undone when the test has ended."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    stack: ExitStack
    """Closed when the test has ended."""
