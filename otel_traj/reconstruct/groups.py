"""Things joined into groups, pair by pair."""

from __future__ import annotations

__all__ = ["Groups"]


class Groups:
    """The numbers from 0 up, each at first a group of its own."""

    def __init__(self, count: int) -> None:
        """Begin with so many groups."""
        self._into = list(range(count))

    def join(self, one: int, two: int) -> None:
        """Make one group of those that two numbers are in."""
        first, second = sorted((self._find(one), self._find(two)))
        self._into[second] = first

    def list_groups(self) -> list[list[int]]:
        """Return the numbers of each group, ascending; the groups by their first."""
        groups: dict[int, list[int]] = {}
        for number in range(len(self._into)):
            groups.setdefault(self._find(number), []).append(number)
        return list(groups.values())

    def _find(self, number: int) -> int:
        while self._into[number] != number:
            self._into[number] = self._into[self._into[number]]
            number = self._into[number]
        return number
