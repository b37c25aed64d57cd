from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.values.key_paths import KeyPath, read_key_paths, select_keys

if TYPE_CHECKING:
    from otel_traj.rendering import JsonValue


def test_paths_are_read_from_texts_and_tuples() -> None:
    """A text is split at its dots, a tuple or list is taken as it is, and what was read stays."""
    paths = read_key_paths(["a", "b.c", ("d.e",), ["f", ""]], "keys")
    assert paths == (("a",), ("b", "c"), ("d.e",), ("f", ""))
    assert read_key_paths(paths, "keys") == paths


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ("query", TrajectoryTypeError, "keys is 'query' of type str: key paths stand in a list"),
        (None, TrajectoryTypeError, "keys is None"),
        ({"query"}, TrajectoryTypeError, "keys is {'query'}"),
        ([], TrajectoryValueError, "keys is an empty list of keys: nothing would be compared"),
        ((), TrajectoryValueError, "keys is an empty list of keys"),
        (["a", ""], TrajectoryValueError, r"keys\[1\] is '', in which a key is empty"),
        (["a..b"], TrajectoryValueError, r"keys\[0\] is 'a..b', in which a key is empty"),
        ([()], TrajectoryValueError, r"keys\[0\] is an empty path"),
        ([1], TrajectoryTypeError, r"keys\[0\] is 1 of type int, no path"),
        ([b"a"], TrajectoryTypeError, r"keys\[0\] is b'a'"),
        ([("a", 1)], TrajectoryTypeError, r"keys\[0\] holds 1 of type int"),
    ],
)
def test_what_is_no_list_of_paths_is_refused(value: object, error: type[Exception], message: str) -> None:
    """A text for a list, an empty list and empty keys are refused by their place, with the form of a path."""
    with pytest.raises(error, match=message):
        read_key_paths(value, "keys")


@pytest.mark.parametrize(
    ("paths", "selected"),
    [
        ([("a",)], {"a": {"b": 1, "c": 2}}),
        ([("a", "b")], {"a": {"b": 1}}),
        ([("a", "b"), ("a", "c")], {"a": {"b": 1, "c": 2}}),
        ([("a", "b"), ("a",)], {"a": {"b": 1, "c": 2}}),
        ([("a", "x")], {"a": {}}),
        ([("x", "y", "z")], {"x": {"y": {}}}),
        ([("l", "1", "k")], {"l": {"1": {"k": 3}}}),
        ([("l", "2")], {"l": {}}),
        ([("l", "-1")], {"l": {}}),
        ([("l", "²")], {"l": {}}),
        ([("l", "9" * 5000)], {"l": {}}),
        ([("d.e",)], {"d.e": 4}),
        ([("d", "e")], {"d": {}}),
        ([("a", "b", "c")], {"a": {"b": {}}}),
        ([("n",)], {"n": None}),
    ],
)
def test_selected_keys_keep_their_place(paths: list[KeyPath], selected: JsonValue) -> None:
    """Values stand under their whole path, containers above them always, and what is missing is missing."""
    value: JsonValue = {"a": {"b": 1, "c": 2}, "l": [0, {"k": 3}], "d.e": 4, "n": None}
    assert select_keys(value, paths) == selected
    assert value == {"a": {"b": 1, "c": 2}, "l": [0, {"k": 3}], "d.e": 4, "n": None}
