from __future__ import annotations

from collections import UserDict, deque
from enum import Enum
from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.match import ReferenceStep, TrajectoryMatcher, graph_trajectory_match
from otel_traj.match.inputs import read_outputs
from tests.match.judging import LONG, explained, judge, make_run

if TYPE_CHECKING:
    from collections.abc import Sequence


class Node(str, Enum):  # noqa: UP042 - older code, whose str() is not the value, is the hard case
    """Node names as some users keep them."""

    A = "a"
    B = "b"


def steps_of(outputs: object) -> list[list[list[str]]]:
    """Return what was read as outputs: runs, supersteps, names."""
    return [[list(names) for names in given.steps] for given in read_outputs(outputs)]


def read_references(reference_outputs: object) -> TrajectoryMatcher:
    """Prepare references of any kind."""
    if reference_outputs is None:
        graph_trajectory_match(outputs=[], reference_outputs=None)  # type: ignore[call-overload] # refused
    return TrajectoryMatcher(reference_outputs, ignore=())  # type: ignore[arg-type] # what is refused too


@pytest.mark.parametrize(
    "outputs",
    [
        [{"inputs": None, "results": None, "steps": [["a"], ["b", "c"]]}],
        {"steps": [["a"], ["b", "c"]]},
        {"outputs": [{"steps": [["a"], ["b", "c"]]}]},
        {"outputs": {"steps": [["a"], ["b", "c"]]}},
        {"output": [["a"], ["b", "c"]]},
        {"runs": [[["a"], ["b", "c"]]]},
        [["a"], ["b", "c"]],
        (("a",), ("b", "c")),
        [[["a"], ["b", "c"]]],
        [(("a",), ("b", "c"))],
        make_run([["a"], ["b", "c"]]),
        [make_run([["a"], ["b", "c"]])],
        iter([make_run([["a"], ["b", "c"]])]),
        UserDict(steps=[["a"], deque(["b", "c"])]),
    ],
)
def test_one_run_in_every_form(outputs: object) -> None:
    """A run is a record, a mapping with steps, or a plain list; alone, in an iterable, or wrapped."""
    assert steps_of(outputs) == [[["a"], ["b", "c"]]]


@pytest.mark.parametrize(
    ("outputs", "runs"),
    [
        ([], []),
        ([[]], [[[]]]),
        ([[], []], [[[], []]]),
        ([[], ["a"]], [[[], ["a"]]]),
        ([[], [["a"]]], [[], [["a"]]]),
        ([{"steps": []}], [[]]),
        ([[["a"]], {"steps": [["b"]]}], [[["a"]], [["b"]]]),
    ],
)
def test_empty_and_mixed_forms(outputs: object, runs: list[list[list[str]]]) -> None:
    """`[]` is no run, `[[]]` one run with an empty superstep; forms may be mixed from run to run."""
    assert steps_of(outputs) == runs


def test_references_in_every_form() -> None:
    """A reference may be a mapping, a plain list with ReferenceSteps, a good run, or the same wrapped."""
    step = ReferenceStep(["a", "b"], "at_least")
    for form in (
        [{"steps": [["x"], step]}],
        {"steps": [["x"], step]},
        [["x"], step],
        {"outputs": [[["x"], step]]},
    ):
        matcher = read_references(form)
        assert matcher.matches([["x"], ["b", "c", "a"]])
        assert not matcher.matches([["x", "y"], ["a", "b"]])
        assert not matcher.matches([["x"], ["a"]])
    assert read_references([step]).matches([["a", "b"]])
    assert judge(LONG, LONG)["score"] is True
    good = make_run([["__start__"], *LONG])
    assert graph_trajectory_match(outputs=good, reference_outputs=good)["score"] is True


def test_members_of_a_string_enumeration_are_their_text() -> None:
    """A name that is a string by inheritance counts and is shown by its value."""
    assert judge([["a"]], [[Node.A]])["score"] is True
    result = judge([[Node.B]], [[Node.A]])
    assert result["comment"] == "superstep 1: expected {b}, got {a}; missing b; extra a"
    assert explained(result)["actual"] == [[["a"]]]
    assert all(type(name) is str for name in explained(result)["ops"][0]["extra"])


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (None, "it is None"),
        ("traces.jsonl", "it is 'traces.jsonl' of type str"),
        (b"abc", "it is b'abc' of type bytes"),
        (7, "it is 7 of type int"),
        ({"results": {}}, "the mapping has the keys ['results'] and no 'steps'"),
        ([{"results": {}}], "run 0 has the keys ['results'] and no 'steps'"),
        ({"steps": None}, "steps of run 0 is None"),
        ({"steps": "abc"}, "steps of run 0 is 'abc' of type str"),
        ([{"steps": [["a"]]}, None], "run 1 is None"),
        ([["a", 1]], "run 0, superstep 1, entry 1 (steps[0][1]) is 1 of type int"),
        (
            [{"steps": [["__start__"], ["a"], ["b", 1.5]]}],
            "run 0, superstep 2, entry 1 (steps[2][1]) is 1.5 of type float",
        ),
        (
            [{"steps": [["a"]]}, {"steps": [["a"], ["__interrupt__"], ["b", None]]}],
            "run 1, superstep 2, entry 1 (steps[2][1]) is None",
        ),
        ([["a"], b"bc"], "run 0, superstep 2 (steps[1]) is b'bc' of type bytes"),
        ([["a"], {"b"}], "run 0, superstep 2 (steps[1]) is {'b'} of type set"),
        ([["a"], None], "run 0, superstep 2 (steps[1]) is None"),
        ([["a"], [["b"]]], "run 0, superstep 2, entry 0 (steps[1][0]) is ['b'] of type list"),
    ],
)
def test_what_is_no_trajectory_is_refused_with_its_place(bad: object, words: str) -> None:
    """Wrong types are a TypeError on both sides that says what was found where, and what is needed."""
    for side, reader in (("outputs", read_outputs), ("reference_outputs", read_references)):
        with pytest.raises(TrajectoryTypeError) as caught:
            reader(bad)
        assert str(caught.value).startswith(f"{side}: {words}: ")
        allowed = (
            "a run is a Run, a mapping with 'steps'",
            "an entry of a superstep is a node name or a pattern",
        )
        assert any(form in str(caught.value) for form in allowed)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (["work", "check"], "run 0, superstep 1 (steps[0]) is the string 'work'"),
        ([{"steps": ["__start__", "work"]}], "run 0, superstep 1 (steps[0]) is the string '__start__'"),
        ([["__start__"], "work"], "run 0, superstep 1 (steps[1]) is the string 'work'"),
        ([["a"], "x" * 1_000], "run 0, superstep 2 (steps[1]) is the string 'xxx"),
    ],
)
def test_a_name_in_place_of_a_superstep_is_told_how_to_write_it(bad: object, words: str) -> None:
    """Whoever writes a name where a superstep stands, as a reference file allows, is shown the list it needs."""
    for side, reader in (("outputs", read_outputs), ("reference_outputs", read_references)):
        with pytest.raises(TrajectoryTypeError) as caught:
            reader(bad)
        message = str(caught.value)
        assert message.startswith(f"{side}: {words}")
        assert "in Python a superstep is a list of node names, also of one. Write [" in message
        assert len(message) < 400
    with pytest.raises(TrajectoryTypeError, match=r"Write \['work'\]\."):
        read_references(["work", "check"])


def test_an_empty_name_is_refused_with_its_place() -> None:
    """No node has an empty name: a ValueError on either side."""
    where = r"run 0, superstep 2, entry 1 \(steps\[1\]\[1\]\) is an empty string"
    with pytest.raises(TrajectoryValueError, match=where):
        read_outputs([["a"], ["b", ""]])
    with pytest.raises(InvalidReferenceError, match=where):
        read_references([["a"], ["b", ""]])


def test_a_reference_step_among_outputs_is_refused() -> None:
    """Only a reference may hold modes."""
    with pytest.raises(TrajectoryTypeError, match=r"superstep 2 .* is a ReferenceStep"):
        read_outputs([["a"], ReferenceStep(["b"])])


def test_an_incomplete_run_is_no_reference() -> None:
    """A run with missing spans would expect them to be missing; it is refused."""
    with pytest.raises(InvalidReferenceError, match="run 0 is an incomplete run"):
        read_references(make_run(LONG, complete=False, problems=["root_open"]))


@pytest.mark.parametrize(
    ("option", "error", "words"),
    [
        ({"step_mode": None}, TrajectoryValueError, "unknown match mode None.*exact, unordered"),
        ({"step_mode": ["exact"]}, TrajectoryValueError, r"unknown match mode \['exact'\]"),
        ({"duplicates": "sets"}, TrajectoryValueError, "'sets'.*Allowed: count, ignore"),
        ({"ignore": "__start__"}, TrajectoryTypeError, "ignore is the string '__start__'"),
        ({"ignore": None}, TrajectoryTypeError, "ignore is None"),
        ({"ignore": [1]}, TrajectoryTypeError, "ignore holds 1 of type int"),
        ({"status": "good"}, TrajectoryValueError, "status allows 'good'.*ok, error, interrupted, cancelled"),
        ({"status": ["ok", "open"]}, TrajectoryValueError, "status allows 'open'"),
        ({"status": []}, TrajectoryValueError, "status allows nothing"),
        ({"status": 3}, TrajectoryTypeError, "status is 3"),
        ({"key": ""}, TrajectoryTypeError, "key is ''"),
        ({"key": 1}, TrajectoryTypeError, "key is 1"),
    ],
)
def test_options_are_checked(option: dict[str, object], error: type[Exception], words: str) -> None:
    """An option that is not allowed is an error that lists what is, even where nothing would be compared."""
    with pytest.raises(error, match=words):
        graph_trajectory_match(outputs=[], reference_outputs=[], **option)  # type: ignore[call-overload]


def test_no_run_where_none_is_expected_passes_and_no_run_where_one_is_fails() -> None:
    """Two empty lists agree; an empty list of runs against a reference is another number of runs."""
    assert graph_trajectory_match(outputs=[], reference_outputs=[])["score"] is True
    result = graph_trajectory_match(outputs=[], reference_outputs=[LONG])
    assert (result["score"], result["comment"]) == (False, "expected 1 run, got 0")


def test_nothing_given_is_changed() -> None:
    """The lists of the caller stay as they are, and the metadata holds copies."""
    expected: list[Sequence[str]] = [["__start__"], ["a", "b"]]
    actual = [["__start__"], ["b"]]
    result = judge(expected, actual)
    assert (expected, actual) == ([["__start__"], ["a", "b"]], [["__start__"], ["b"]])
    explained(result)["actual"][0][1].append("x")
    assert actual == [["__start__"], ["b"]]
