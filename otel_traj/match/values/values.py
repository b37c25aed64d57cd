"""Equality and containment of JSON values, and where they fail.

Values are equal as JSON says it, not as Python does: a boolean is never a number (`True == 1` in Python), `1` is
`1.0`, a tuple is a list, the order of keys means nothing, the order of a list everything. NaN equals NaN, so that
each value equals itself. Whatever is no JSON is equal to one of its own type that `==` calls equal.

The direction is always the actual value against the expected one: `subset` holds where each key that is there was
expected, with a value that is in turn within the expected one; `superset` is the reverse. Lists are not
contained in one another: both modes want the same number of items and go on item by item, because a list that may
lack items says nothing of which of them stands for which.

Walked with a list of what is left, not by recursion, and each pair of containers once: values may be as deep as
memory allows, and may hold themselves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.values.reasons import shorten_reason, show_key, show_path
from otel_traj.match.values_in_words import describe_value, show_value
from otel_traj.rendering import name_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["EXACTLY", "Tolerance", "ValueMode", "compare_values"]

ValueMode: TypeAlias = Literal["exact", "subset", "superset"]
"""How the actual value stands to the expected one."""

_MAX_SHOWN: Final = 3
_PathParts: TypeAlias = "tuple[_PathParts, object] | None"
"""The path to the container, and a key or position in it; None for the whole value."""
_Pair: TypeAlias = tuple[object, object, _PathParts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How far two numbers may lie apart and be equal, as `math.isclose` counts it.

    Raises:
        TrajectoryTypeError: Something that is no number.
        TrajectoryValueError: A number that is negative or not finite.
    """

    absolute: float = 0.0
    """The largest difference."""
    relative: float = 0.0
    """The largest difference as a part of the larger of the two numbers, signs left out."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value: object = getattr(self, field.name)
            allowed = "A tolerance is a number from 0, 0 for none."
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TrajectoryTypeError(
                    f"{field.name} tolerance is {describe_value(value)}: no distance between numbers. {allowed}"
                )
            if not 0 <= value < math.inf:
                raise TrajectoryValueError(
                    f"{field.name} tolerance is {show_value(value)}: no distance between numbers. {allowed}"
                )


EXACTLY: Final = Tolerance()
"""No tolerance."""


def compare_values(
    actual: object, expected: object, mode: ValueMode = "exact", tolerance: Tolerance = EXACTLY
) -> str | None:
    """Compare two JSON values.

    Args:
        actual: What was seen.
        expected: What it is compared with.
        mode: `exact`; `subset` (every actual key is expected, recursively); `superset` (every expected key is
            actual, recursively). In each of them lists are of one length and compared item by item.
        tolerance: For numbers, wherever they stand.

    Returns:
        None where they are equal by the mode; else the first three differences, such as `missing key date; at
        query.city: differs`: keys and types, nothing of the values.
    """
    found = list(islice(_find_differences(actual, expected, mode, tolerance), _MAX_SHOWN + 1))
    if not found:
        return None
    more = ["and more"] if len(found) > _MAX_SHOWN else []
    return shorten_reason("; ".join([*found[:_MAX_SHOWN], *more]))


def _find_differences(
    actual: object, expected: object, mode: ValueMode, tolerance: Tolerance
) -> Iterator[str]:
    left: list[_Pair] = [(actual, expected, None)]
    # The containers themselves are kept beside their ids, which stay theirs only as long as they live.
    seen: dict[tuple[int, int], tuple[object, object]] = {}
    while left:
        one, other, path = left.pop()
        if isinstance(one, Mapping | list | tuple):
            at = (id(one), id(other))
            if at in seen:
                continue
            seen[at] = (one, other)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from (_place(path, fault) for fault in _find_key_faults(one, other, mode))
            shared = [key for key in _sort_keys(one) if key in other]
            left.extend((one[key], other[key], (path, key)) for key in reversed(shared))
        elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
            if len(one) != len(other):
                yield _place(path, "number of items differs")
            else:
                left.extend(_pair_items(one, other, path))
        elif (found := _name_type(one)) != (wanted := _name_type(other)):
            yield _place(path, f"expected {wanted}, got {found}")
        elif not _are_equal(one, other, tolerance):
            yield _place(path, "differs")


def _find_key_faults(
    actual: Mapping[object, object], expected: Mapping[object, object], mode: ValueMode
) -> Iterator[str]:
    if mode != "subset":
        yield from (f"missing key {show_key(key)}" for key in _sort_keys(expected) if key not in actual)
    if mode != "superset":
        yield from (f"extra key {show_key(key)}" for key in _sort_keys(actual) if key not in expected)


def _pair_items(one: Sequence[object], other: Sequence[object], path: _PathParts) -> Iterator[_Pair]:
    for index in range(len(one) - 1, -1, -1):
        yield one[index], other[index], (path, index)


def _sort_keys(mapping: Mapping[object, object]) -> list[object]:
    """Return the keys in an order that is not the mapping's own, which means nothing."""
    return sorted(mapping, key=lambda key: key if isinstance(key, str) else name_value(key))


def _place(path: _PathParts, fault: str) -> str:
    parts: list[object] = []
    while path is not None:
        path, part = path
        parts.append(part)
    return f"at {show_path(parts[::-1])}: {fault}" if parts else fault


def _name_type(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list | tuple):
        return "list"
    return "object" if isinstance(value, Mapping) else type(value).__name__


def _are_equal(one: object, other: object, tolerance: Tolerance) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return _are_close(one, other, tolerance)
    if isinstance(one, str) and isinstance(other, str):
        # A member of a string enumeration is its text, whatever its `==` says.
        return str.__str__(one) == str.__str__(other)
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - what is no JSON compares by foreign code
        return False


def _are_close(one: float, other: float, tolerance: Tolerance) -> bool:
    is_nan = one != one and other != other
    if one == other or is_nan:
        return True
    if tolerance == EXACTLY:
        return False
    if isinstance(one, int) and isinstance(other, int):
        # Floats would make neighbours beyond 2**53 equal.
        relative = Fraction(tolerance.relative) * max(abs(one), abs(other))
        return abs(one - other) <= max(relative, Fraction(tolerance.absolute))
    try:
        return math.isclose(one, other, rel_tol=tolerance.relative, abs_tol=tolerance.absolute)
    except OverflowError:
        return False
