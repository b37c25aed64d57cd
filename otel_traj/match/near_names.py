"""Names of which one is probably a slip of the pen for the other.

Letters changed round, one too many or too few, or another case or separator. Names that differ in a digit (`node1`,
`node2`) or in a letter that was replaced (`plan_a`, `plan_b`) are two names as a rule.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_near"]

_DIGITS: Final = re.compile("[0-9]+")
_SHORT: Final = 4
"""Letters under which a slip can't be told from another name."""


def is_near(name: str, other: str) -> bool:
    """Return whether one name is probably meant to be the other."""
    if _DIGITS.findall(name) != _DIGITS.findall(other):
        return False
    short, long = sorted((_keep_letters(name), _keep_letters(other)), key=len)
    if len(short) < _SHORT:
        return short == long != ""
    if len(short) == len(long):
        return sorted(short) == sorted(long)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def _keep_letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
