"""Read which executable a person wants tested, from an environment variable."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tests.backends.errors import BackendError
from tests.backends.parts import find_missing_parts

if TYPE_CHECKING:
    from tests.backends.recipe import Recipe

__all__ = ["find_named"]


def find_named(variable: str, recipe: Recipe) -> Path | None:
    """Return the executable that a variable names, or None where it names none.

    Args:
        variable: The variable's name.
        recipe: Says which parts it must have.

    Raises:
        BackendError: It names something that will not do. No other one silently takes its place.
    """
    named = os.environ.get(variable)
    if not named:
        return None
    found = shutil.which(named)
    if found is None:
        raise BackendError(f"{variable}={named} is not an executable: correct or unset it")
    if missing := find_missing_parts(Path(found), recipe.parts):
        raise BackendError(
            f"{variable}={named} lacks {', '.join(missing)}: name one that has it, or unset the variable"
        )
    return Path(found)
