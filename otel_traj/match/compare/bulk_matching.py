"""The largest assignment between two sides of which many members are alike.

A fan-out of a thousand tasks of one node is one kind with a number, not a thousand members. The assignment is
that of `bipartite`, with whole amounts in place of single pairs: augmenting ways by breadth first (Edmonds and Karp
1972). What was placed stays placed while others change their partners, so who comes first is never given up for who
comes later: the left side is covered in its order, and the whole is still the largest there is.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["BulkMatching"]


class BulkMatching:
    """An assignment that grows: kinds are added on both sides, then placed."""

    def __init__(self) -> None:
        self.free: list[int] = []
        """By kind of the right side, how many have no partner."""
        self.first_open: int | None = None
        """The first kind of the left side that may still be connected; None: none will be after the first placing."""
        self._partners: list[list[int]] = []
        self._given: list[dict[int, int]] = []
        self._holders: list[dict[int, None]] = []
        self._dead: set[int] = set()

    def add_left(self, partners: Iterable[int] = ()) -> int:
        """Add a kind to the left side and return its index.

        Args:
            partners: Kinds of the right side that may go with it, in order of preference.
        """
        self._partners.append(list(partners))
        self._given.append({})
        return len(self._partners) - 1

    def add_right(self, capacity: int) -> int:
        """Add a kind of so many members to the right side and return its index."""
        self.free.append(capacity)
        self._holders.append({})
        return len(self.free) - 1

    def connect(self, left: int, right: int) -> None:
        """Let two kinds go together."""
        self._partners[left].append(right)

    def place(self, left: int, amount: int) -> int:
        """Give members of the left side partners of their own, others changing theirs where they must.

        Args:
            left: Their kind.
            amount: How many of it.

        Returns:
            How many can have none.
        """
        for right in self._partners[left]:
            if not amount:
                return 0
            taken = min(amount, self.free[right])
            if taken:
                self._give(left, right, taken)
                self.free[right] -= taken
                amount -= taken
        while amount:
            way = self._find_way(left)
            if way is None:
                return amount
            amount -= self._follow(way, amount)
        return 0

    def partners_of(self, left: int) -> Mapping[int, int]:
        """Return how many of each kind of the right side a kind of the left side has."""
        return self._given[left]

    def _find_way(self, start: int) -> list[tuple[int, int]] | None:
        """Return who is to take what, from the one who begins; each but the first gives away what the one before took."""
        asked_by: dict[int, int] = {}
        gives: dict[int, int] = {}
        waiting = deque([start])
        seen = {start}
        while waiting:
            left = waiting.popleft()
            for right in self._partners[left]:
                if right in asked_by or right in self._dead:
                    continue
                asked_by[right] = left
                if self.free[right]:
                    return _trace(start, right, asked_by, gives)
                for holder in self._holders[right]:
                    if holder not in seen:
                        seen.add(holder)
                        gives[holder] = right
                        waiting.append(holder)
        # Who holds them can go nowhere else, now and later: no search needs to come here again.
        if self.first_open is None or all(left < self.first_open for left in seen if self._given[left]):
            self._dead.update(asked_by)
        return None

    def _follow(self, way: list[tuple[int, int]], amount: int) -> int:
        """Change partners along a way and return for how many."""
        last = way[-1][1]
        pairs = list(pairwise(way))
        amount = min(amount, self.free[last], *(self._given[left][right] for (_, right), (left, _) in pairs))
        for (_, right), (left, _) in pairs:
            self._given[left][right] -= amount
            if not self._given[left][right]:
                del self._given[left][right], self._holders[right][left]
        for left, right in way:
            self._give(left, right, amount)
        self.free[last] -= amount
        return amount

    def _give(self, left: int, right: int, amount: int) -> None:
        self._given[left][right] = self._given[left].get(right, 0) + amount
        self._holders[right][left] = None


def _trace(
    start: int, end: int, asked_by: Mapping[int, int], gives: Mapping[int, int]
) -> list[tuple[int, int]]:
    way = [(asked_by[end], end)]
    while way[-1][0] != start:
        right = gives[way[-1][0]]
        way.append((asked_by[right], right))
    way.reverse()
    return way
