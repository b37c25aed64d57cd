"""The scripts in `benchmarks/` as modules: they are no package, and import one another from their own folder."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["BENCHMARKS", "load_script"]

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


def load_script(name: str) -> ModuleType:
    """Return a script as a module.

    Args:
        name: Its file's name without the suffix.
    """
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(BENCHMARKS))
