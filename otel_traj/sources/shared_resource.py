"""One dict for equal resources that follow one another, so that many spans of one program cost little memory.

A file holds a resource again with each batch, and the console's form with each span. Only the last one is
remembered: in a place with many programs a table of all would grow without bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from otel_traj.model import AttributeValue

__all__ = ["SharedResource"]


class SharedResource:
    """Remembers the last resource of one place."""

    def __init__(self) -> None:
        """Begin with none."""
        self._last: dict[str, AttributeValue] = {}

    def share(self, resource: dict[str, AttributeValue]) -> dict[str, AttributeValue]:
        """Return the last resource where this one is the same, else this one.

        Args:
            resource: That of the next spans.
        """
        # 1, True and 1.0 are equal to Python, and are not the same attribute; text equals nothing but itself.
        if resource != self._last or any(
            repr(value) != repr(self._last[key])
            for key, value in resource.items()
            if not isinstance(value, str)
        ):
            self._last = resource
        return self._last
