"""Which texts may stand for a number that a backend writes otherwise than Python does.

Whoever filters runs takes a text for a number by Python's form of it (`1.0`, `1e+20`, `inf`). Backends have forms of
their own (Go writes `1`, `100000000000000000000`, `+Inf`), so that a search for the text would miss the number.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["may_be_float"]

_WHOLE: Final = re.compile(r"-?[0-9]+")


def may_be_float(text: str) -> bool:
    """Return whether a text may stand for a number with a fraction or an exponent, or for none that is finite.

    Args:
        text: What is asked for.
    """
    if _WHOLE.fullmatch(text):
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True
