"""The largest one-to-one assignment between two sides, where it is known who may go with whom.

Never greedy: `[node*, node4]` against `[node4, node5]` matches only if the pattern leaves node4 to the name. Kuhn's
algorithm, whose paths are found without recursion, because a fan-out can have thousands of tasks. The assignment is
the same every time: partners are tried in their order, and who came first keeps a partner if it can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["match_all"]


def match_all(partners: Sequence[Sequence[int]], right: int) -> list[int | None]:
    """Return the partner of each of the left side in an assignment of the most pairs.

    Args:
        partners: For each of the left side, who on the right may go with it, in order of preference.
        right: How many the right side has.

    Returns:
        An index of the right side, or None, for each of the left side.
    """
    left_of: list[int | None] = [None] * right
    right_of: list[int | None] = [None] * len(partners)
    for left in range(len(partners)):
        _find_path(left, partners, left_of, right_of)
    return right_of


def _find_path(
    start: int, partners: Sequence[Sequence[int]], left_of: list[int | None], right_of: list[int | None]
) -> bool:
    """Give one more of the left side a partner, others changing theirs where they must."""
    free = next((right for right in partners[start] if left_of[right] is None), None)
    if free is not None:
        left_of[free], right_of[start] = start, free
        return True
    seen: set[int] = set()
    path: list[int] = [start]
    tries = [iter(partners[start])]
    taken: list[int] = []
    while path:
        for right in tries[-1]:
            if right in seen:
                continue
            seen.add(right)
            taken.append(right)
            holder = left_of[right]
            if holder is None:
                for left, partner in zip(path, taken, strict=True):
                    left_of[partner], right_of[left] = left, partner
                return True
            path.append(holder)
            tries.append(iter(partners[holder]))
            break
        else:
            path.pop()
            tries.pop()
            if taken:
                taken.pop()
    return False
