from __future__ import annotations

import enum
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.values.reasons import MAX_REASON_BYTES
from otel_traj.match.values.values import Tolerance, ValueMode, compare_values
from tests.match.json_values import MODES, PLANTED, any_json, close_json, value_modes


class Colour(enum.StrEnum):
    """Text that is a member."""

    RED = "red"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (float("nan"), float("nan")),
        ((1, (2,)), [1, [2]]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (Colour.RED, "red"),
        (10**400, 10**400),
        ({1, 2}, {2, 1}),
        (b"a", b"a"),
        (0.0, -0.0),
    ],
)
def test_equal_as_json_says_it(one: object, other: object) -> None:
    """Numbers by value, NaN to itself, tuples as lists, keys in any order, members of enumerations as text."""
    for mode in MODES:
        assert compare_values(one, other, mode) is None
        assert compare_values(other, one, mode) is None


@pytest.mark.parametrize(
    ("actual", "expected", "reason"),
    [
        (True, 1, "expected number, got boolean"),
        (0.0, False, "expected boolean, got number"),
        ("1", 1, "expected number, got string"),
        (None, {}, "expected object, got null"),
        ([], {}, "expected object, got list"),
        ({}, [], "expected list, got object"),
        ({1}, [1], "expected list, got set"),
        (b"a", "a", "expected string, got bytes"),
        ([1, 2], [2, 1], "at [0]: differs; at [1]: differs"),
        ([1], [1, 2], "number of items differs"),
        ({"a": None}, {}, "extra key a"),
        ({}, {"a": None}, "missing key a"),
        (10**400, 1.5, "differs"),
        (2**53 + 1, float(2**53), "differs"),
        ({"query": {"city": "x"}}, {"query": {"city": "y"}}, "at query.city: differs"),
        ({"b": 1, "a": 1}, {"b": 2, "a": 2}, "at a: differs; at b: differs"),
        ({"limit": 1}, {"date": 1}, "missing key date; extra key limit"),
        ({"a": [{"b": 1}]}, {"a": [{"c": 1}]}, "at a[0]: missing key c; at a[0]: extra key b"),
    ],
)
def test_different_values_say_where_and_how(actual: object, expected: object, reason: str) -> None:
    """A reason names the path, and the types where they differ."""
    assert compare_values(actual, expected) == reason


@pytest.mark.parametrize(
    ("actual", "expected", "passes"),
    [
        ({}, {"a": 1}, {"subset"}),
        ({"a": 1, "b": 1}, {"a": 1}, {"superset"}),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 1}, "d": 1}, {"subset"}),
        ({"a": {"b": 1}, "d": 1}, {"a": {"b": 1, "c": 1}}, set()),
        ({"a": 1}, {"a": 2}, set()),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 1}]}, {"subset"}),
        ({"a": [1]}, {"a": [1, 2]}, set()),
        ([], [1], set()),
        ({"a": None}, {}, {"superset"}),
    ],
)
def test_containment_is_recursive_and_keeps_lists_whole(
    actual: object, expected: object, passes: set[str]
) -> None:
    """Keys may lack on one side at every depth, items of lists at none."""
    for mode in MODES:
        assert (compare_values(actual, expected, mode) is None) is (mode in passes)


@pytest.mark.parametrize(
    ("one", "other", "tolerance", "is_close"),
    [
        (1.0, 1.05, Tolerance(absolute=0.1), True),
        (1.0, 1.2, Tolerance(absolute=0.1), False),
        (100, 101, Tolerance(relative=0.01), True),
        (100, 102, Tolerance(relative=0.01), False),
        (-100, -101.0, Tolerance(relative=0.01), True),
        (2**53 + 1, 2**53, Tolerance(absolute=0.5), False),
        (2**53 + 1, 2**53, Tolerance(absolute=1), True),
        (10**400, 10**400 + 1, Tolerance(relative=0.1), True),
        (10**400, 1.0, Tolerance(relative=0.1), False),
        (float("inf"), 1e308, Tolerance(relative=0.9), False),
        (float("nan"), 1.0, Tolerance(absolute=10), False),
        (True, 1, Tolerance(absolute=10), False),
        ("1", "2", Tolerance(absolute=10), False),
    ],
)
def test_tolerance_is_for_numbers(
    one: object, other: object, tolerance: Tolerance, *, is_close: bool
) -> None:
    """Numbers within the absolute or the relative tolerance are equal, at any depth; nothing else is."""
    for mode in MODES:
        assert (compare_values({"a": [one]}, {"a": [other]}, mode, tolerance) is None) is is_close


@pytest.mark.parametrize("field", ["absolute", "relative"])
@pytest.mark.parametrize(
    ("value", "error"),
    [
        (-0.1, TrajectoryValueError),
        (math.nan, TrajectoryValueError),
        (math.inf, TrajectoryValueError),
        (True, TrajectoryTypeError),
        ("0.1", TrajectoryTypeError),
        (None, TrajectoryTypeError),
    ],
)
def test_tolerance_that_is_no_distance_is_refused(field: str, value: object, error: type[Exception]) -> None:
    """Negative, endless and non-numeric tolerances are refused, with what is allowed."""
    options: dict[str, Any] = {field: value}
    with pytest.raises(error, match=rf"{field} tolerance is .* number from 0"):
        Tolerance(**options)


def test_deep_values_are_compared() -> None:
    """Twenty thousand levels are compared, and the difference at the bottom found."""
    one: list[Any] = []
    other: list[Any] = [1]
    for _ in range(20_000):
        one, other = [one], [other]
    assert compare_values(one, one) is None
    assert compare_values(one, other) == "at [0][0][0]...[0][0][0]: number of items differs"


def test_values_inside_themselves_are_compared() -> None:
    """A value that holds itself equals its like, and differs from what differs."""
    one: dict[str, Any] = {"n": 1}
    other: dict[str, Any] = {"n": 1}
    unrolled: dict[str, Any] = {"n": 1, "self": {"n": 1, "self": one}}
    one["self"], other["self"] = one, other
    assert compare_values(one, other) is None
    assert compare_values(one, unrolled) is None
    other["n"] = 2
    assert compare_values(one, other) == "at n: differs"


def test_a_value_that_shares_its_parts_is_walked_once() -> None:
    """Sixty levels that each hold the next one twice are no 2**60 comparisons."""
    one: list[Any] = [1]
    other: list[Any] = [1]
    for _ in range(60):
        one, other = [one, one], [other, other]
    assert compare_values(one, other) is None


def test_many_differences_are_shortened() -> None:
    """Three are shown, by the order of the keys, and that there are more."""
    actual = dict.fromkeys("dcba", 1)
    assert compare_values(actual, {}) == "extra key a; extra key b; extra key c; and more"
    assert compare_values({}, {"c": 1, "b": 1, "a": 1}) == "missing key a; missing key b; missing key c"


def test_keys_are_data() -> None:
    """Keys that could steer a terminal, turn a text or forge a path are quoted and escaped; long ones are cut."""
    assert compare_values({"a\x1b[2J\u202e": 1}, {}) == 'extra key "a\\x1b[2J\\u202e"'
    assert compare_values({"a.b": {"c: d": 1}}, {"a.b": {"c: d": 2}}) == 'at "a.b"."c: d": differs'
    assert compare_values({3: 1}, {}) == "extra key 3"
    assert compare_values({"k" * 1000: 1}, {}) == f'extra key "{"k" * 77}..."'


def test_a_reason_is_bounded() -> None:
    """Whatever the keys, a reason is at most 1,024 bytes."""
    key = "\U000e0041" * 80
    reason = compare_values({key: {key: {key: 1}}}, {key: {key: {key: 2}}})
    assert reason is not None
    assert len(reason.encode()) == MAX_REASON_BYTES
    assert reason.endswith("...")


def test_comparing_that_raises_is_a_difference() -> None:
    """A foreign `==` that raises makes a difference, no error."""

    class Hostile:
        __hash__ = None  # type: ignore[assignment]  # what has no equality has no hash

        def __eq__(self, other: object) -> bool:
            raise RuntimeError

    assert compare_values(Hostile(), Hostile()) == "differs"


@given(any_json, value_modes)
def test_every_value_equals_itself_and_its_json(value: object, mode: ValueMode) -> None:
    """A round trip through JSON text changes nothing, whatever the value."""
    assert compare_values(value, value, mode) is None
    decoded = json.loads(json.dumps(value))
    assert compare_values(value, decoded, mode) is None
    assert compare_values(decoded, value, mode) is None


@given(close_json, close_json, value_modes)
def test_a_round_trip_changes_no_verdict(one: object, other: object, mode: ValueMode) -> None:
    """The verdict and its words are the same before and after a round trip, and with tuples for lists."""
    reason = compare_values(one, other, mode)
    assert compare_values(json.loads(json.dumps(one)), json.loads(json.dumps(other)), mode) == reason
    assert compare_values(_freeze(one), other, mode) == reason


@given(close_json, close_json)
def test_subset_and_superset_are_one_another_reversed(one: object, other: object) -> None:
    """What is within another value is what the other contains."""
    within = compare_values(one, other, "subset") is None
    assert (compare_values(other, one, "superset") is None) is within


@given(close_json, close_json)
def test_exact_is_subset_and_superset(one: object, other: object) -> None:
    """Two values are equal exactly where each contains the other; equality has no direction."""
    contained = [compare_values(one, other, mode) is None for mode in ("subset", "superset")]
    is_equal = compare_values(one, other) is None
    assert is_equal is all(contained)
    assert (compare_values(other, one) is None) is is_equal


@given(close_json, close_json, value_modes)
def test_verdicts_are_those_of_the_definition(one: object, other: object, mode: ValueMode) -> None:
    """The walk agrees with the definition, written out as a recursion."""
    assert (compare_values(one, other, mode) is None) is _fits(one, other, mode)


@given(close_json, st.permutations(["a", "b", "c.d"]), close_json, value_modes)
def test_the_order_of_keys_changes_nothing(
    one: object, order: list[str], other: object, mode: ValueMode
) -> None:
    """Neither the verdict nor its words depend on the order of keys."""
    assert compare_values(_reorder(one, order), other, mode) == compare_values(one, other, mode)
    assert compare_values(other, _reorder(one, order), mode) == compare_values(other, one, mode)


@given(close_json, close_json, value_modes)
def test_no_reason_holds_content(one: object, other: object, mode: ValueMode) -> None:
    """A reason is one printable line, in which no value of either side stands."""
    reason = compare_values(one, other, mode)
    if reason is not None:
        assert reason.isprintable()
        assert PLANTED not in reason
        assert "1.5" not in reason


@given(st.integers(-1000, 1000), st.floats(-1000, 1000), st.floats(0, 10), st.floats(0, 1))
def test_tolerance_counts_as_isclose_does(one: int, other: float, absolute: float, relative: float) -> None:
    """Tolerances mean what they mean in the standard library."""
    tolerance = Tolerance(absolute=absolute, relative=relative)
    is_close = math.isclose(one, other, abs_tol=absolute, rel_tol=relative)
    assert (compare_values(one, other, "exact", tolerance) is None) is is_close


def _fits(one: Any, other: Any, mode: ValueMode) -> bool:  # noqa: ANN401 - any JSON
    if isinstance(one, dict) and isinstance(other, dict):
        is_within = mode == "superset" or one.keys() <= other.keys()
        contains = mode == "subset" or other.keys() <= one.keys()
        shared = one.keys() & other.keys()
        return is_within and contains and all(_fits(one[key], other[key], mode) for key in shared)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_fits, one, other, [mode] * len(one)))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    both_nan = one != one and other != other
    return both_nan or bool(one == other)


def _freeze(value: object) -> object:
    if isinstance(value, dict):
        return {key: _freeze(item) for key, item in value.items()}
    return tuple(map(_freeze, value)) if isinstance(value, list) else value


def _reorder(value: object, order: list[str]) -> object:
    if isinstance(value, dict):
        return {key: _reorder(value[key], order) for key in order if key in value}
    return [_reorder(item, order) for item in value] if isinstance(value, list) else value
