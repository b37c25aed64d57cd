from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

import hypothesis
import pytest
from hypothesis import strategies as st

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.match import (
    Any,
    AnyOf,
    Gap,
    Glob,
    OneOf,
    ReferenceStep,
    Regex,
    Repeat,
    Tool,
    TrajectoryMatcher,
)
from tests.match.judging import LONG, SHORTCUT, decide, make_run

if TYPE_CHECKING:
    from collections.abc import Callable

Given: TypeAlias = tuple[tuple[object, ...], dict[str, object]]

CHOICE = OneOf([["a"], Gap(), ["b"]], "x", Glob("y*"), [OneOf("c", "d"), "e"], (("f",), ("g",)))


@pytest.mark.parametrize(
    ("steps", "passes"),
    [
        ([["a"], ["b"]], True),
        ([["a"], ["q"], ["q"], ["b"]], True),
        ([["x"]], True),
        ([["yes"]], True),
        ([["e", "d"]], True),
        ([["f"], ["g"]], True),
        ([["a"]], False),
        ([["y", "x"]], False),
        ([["f", "g"]], False),
        ([["e"]], False),
    ],
)
def test_one_of_in_place_of_a_superstep(steps: list[list[str]], passes: bool) -> None:
    """A choice is a name, a pattern, a superstep, or a row of whatever stands in a trajectory."""
    assert decide([{"steps": [["begin"], *steps]}], [["begin"], CHOICE]).score is passes


def test_one_of_may_hold_loops_and_optional_supersteps() -> None:
    """A row that holds more than plain supersteps is a row as well."""
    choice = OneOf([Repeat([["m"], ["t"]], 1, None), ReferenceStep(["end"], min=0)], [Gap(), ["z"]])
    for steps in ([["m"], ["t"]], [["m"], ["t"], ["m"], ["t"], ["end"]], [["q"], ["z"]]):
        assert decide([{"steps": steps}], [choice]).score is True
    assert decide([{"steps": [["m"], ["t"], ["q"]]}], [choice]).score is False


def test_of_any_the_nearest_is_explained_and_shown() -> None:
    """The lowest cost wins, and of equal costs the first given; expected shows the trajectory that was taken."""
    far = [["x"], ["y"], ["z"], ["q"]]
    for ways in ((far, LONG, SHORTCUT), (SHORTCUT, far, LONG)):
        outcome = decide([{"steps": [*SHORTCUT[:2], ["node8"]]}], AnyOf(*ways))
        assert outcome.comment == "superstep 3: expected {node7}, got {node8}; missing node7; extra node8"
        assert outcome.metadata is not None
        assert outcome.metadata["expected"] == [SHORTCUT]
    tie = decide([{"steps": [["c"]]}], AnyOf([["a"]], [["b"]]))
    assert tie.comment == "superstep 1: expected {a}, got {c}; missing a; extra c"


def test_any_of_is_written_in_several_ways() -> None:
    """An AnyOf of trajectories, of one list of them, of mappings and runs, and any_of in a mapping are the same."""
    forms: list[object] = [
        AnyOf(LONG, SHORTCUT),
        AnyOf([LONG, SHORTCUT]),
        AnyOf({"steps": LONG}, {"steps": SHORTCUT}),
        AnyOf(make_run(LONG), make_run(SHORTCUT)),
        {"any_of": [LONG, SHORTCUT]},
        {"any_of": AnyOf(LONG, SHORTCUT)},
        [AnyOf(LONG, SHORTCUT)],
    ]
    for form in forms:
        assert decide([{"steps": LONG}], form).score is True
        assert decide([{"steps": SHORTCUT}], form).score is True
        assert decide([{"steps": LONG[:2]}], form).score is False


def test_ignored_names_are_taken_out_of_references_but_patterns_stay() -> None:
    """Literals that are ignored vanish on both sides, their supersteps too; a pattern is never filtered."""
    reference = [
        ["__start__"],
        ReferenceStep(["__start__", "a"]),
        Repeat([["__end__"]], 2, None),
        [Glob("__*")],
    ]
    assert decide([{"steps": [["a"], ["__x__"]]}], reference).score is True
    assert decide([{"steps": [["a"], ["__end__"]]}], reference).score is False
    assert decide([{"steps": [["a"], ["log"]]}], [["a"]], ignore=[Glob("l*")]).score is True


def test_numbers_are_those_of_the_written_reference() -> None:
    """Each written superstep has one number, a loop's once, whatever is ignored or taken."""
    reference = [["__start__"], ["a"], Repeat([["b"], ["c"]], 2, 2), ["d"]]
    outcome = decide([{"steps": [["a"], ["b"], ["c"], ["b"], ["c"]]}], reference)
    assert outcome.comment == "superstep 4: expected {d}, got nothing; missing d"


def call(*args: object, **options: object) -> Given:
    """Return what a part is made of."""
    return args, options


NO_FORM = (
    "a run is a Run, a mapping with 'steps', or a list of supersteps; a superstep is a list of node names"
)


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        (5, f"reference_outputs: it is 5 of type int: {NO_FORM}"),
        ("abc", f"reference_outputs: it is 'abc' of type str: {NO_FORM}"),
        ({}, "reference_outputs: the mapping has the keys [] and no 'steps'"),
        ([{}], "reference_outputs: run 0 has the keys [] and no 'steps'"),
        ([{"steps": None}], "reference_outputs: steps of run 0 is None"),
        ({"steps": "ab"}, "steps of run 0 is 'ab' of type str"),
        (["abc"], "superstep 1 (steps[0]) is the string 'abc': in Python a superstep is a list"),
        ([["a"], Glob("b*")], "is the pattern glob(b*): a superstep is a list of names and patterns"),
        ([["a"], Gap], "superstep 2 (steps[1]) is <class"),
        ([["a", 1]], "superstep 1, entry 1 (steps[0][1]) is 1 of type int"),
        ([["a", None]], "superstep 1, entry 1 (steps[0][1]) is None"),
        ([[Any]], "superstep 1, entry 0 (steps[0][0]) is <class"),
        ([["a", OneOf(["b"])]], "a choice of OneOf in reference_outputs: run 0, superstep 1, entry 1"),
        (
            [Repeat([["a", 1]])],  # type: ignore[list-item] # what is refused
            "superstep 1, entry 1 (steps[0][1]) is 1 of type int",
        ),
        ([OneOf(["a", ["b"]])], "is the string 'a': in Python a superstep is a list"),
        (AnyOf(1), "steps of run 0 is 1 of type int"),
        ({"rules": ["a"]}, "rules of run 0 is ['a'] of type list"),
        ({"model_calls": {"nth": 1}}, "model_calls of run 0 is {'nth': 1} of type dict"),
        ({"model_calls": [1]}, "is 1 of type int: a model call is a mapping"),
        ({"model_calls": [{"nth": 1, "chooses": "a"}]}, "it lists tool calls. Write a list; [] for none"),
    ],
)
def test_what_is_no_reference_is_a_type_error_with_its_place(reference: object, words: str) -> None:
    """Anything that is no reference is refused where it is given, and the message says where and what to write."""
    with pytest.raises(TrajectoryTypeError, match=re.escape(words)):
        TrajectoryMatcher(reference)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ([["a", ""]], "superstep 1, entry 1 (steps[0][1]) is an empty string"),
        ({"any_of": []}, "any_of of run 0 is [] of type list: it lists whole trajectories"),
        ({"steps": [["a"]], "any_of": [[["a"]]]}, "run 0 has steps and any_of"),
        ({"rules": {}}, "the rules hold no rule: every run would pass"),
        ({"rules": {"forbid": ["a"]}}, "Allowed: forbidden, required, before, follows, same_step"),
        ({"model_calls": []}, "model_calls of run 0 is empty: every run would pass"),
        ({"model_calls": [{"nth": 0, "chooses": []}]}, "calls are counted from 1"),
        ({"model_calls": [{"nth": 1}]}, "it needs nth and chooses"),
        (
            {"model_calls": [{"nth": 1, "chooses": []}, {"nth": 1, "chooses": ["a"]}]},
            "has nth 1 twice",
        ),
        (
            {"steps": [["a"]], "rule": {"forbidden": ["b"]}},
            "run 0 has 'rule': nothing would be compared by it",
        ),
        ({"Steps": [["a"]], "rules": {"forbidden": ["b"]}}, "Did you mean 'steps'?"),
        ({"steps": [["a"]], "model-calls": []}, "Did you mean 'model_calls'?"),
        ([["a"], {"gap": True}], "is {'gap': True}, as a reference file has it: in Python"),
        ([{"gap": True}, ["a"]], "Write Gap()."),
        ({"steps": [{"nodes": ["a"], "min": 0}]}, "Write ReferenceStep(...)."),
        ({"steps": [{"repeat": ["a", "b"]}]}, "Write Repeat(...)."),
        ({"steps": [{"one_of": [["a"], ["b"]]}]}, "Write OneOf(...)."),
        ([[{"tool": "a", "arg": {}}]], "has the keys ['tool', 'arg']"),
        (AnyOf({"steps": [["a"]], "rules": {"forbidden": ["b"]}}), "Write them beside any_of"),
        ({"any_of": [{"steps": [["a"]], "model_calls": [{}]}]}, "has a trajectory with model_calls"),
        (
            {"steps": [["a"]], "trajectory_mode": "contains", "ignore": []},
            "run 0 has 'trajectory_mode', 'ignore': in Python the options of a comparison are no part",
        ),
        (make_run(LONG, complete=False), "run 0 is an incomplete run"),
        ([Repeat([Repeat([["a"]], 1000, 1000)], 1000, 1000)], "unfolds to more than 200,000 supersteps"),
    ],
)
def test_what_can_not_be_compared_with_is_refused(reference: object, words: str) -> None:
    """A reference that says nothing, contradicts itself or would be left out in part is refused at construction."""
    with pytest.raises(InvalidReferenceError, match=re.escape(words)):
        TrajectoryMatcher(reference)  # type: ignore[arg-type]


def test_what_stands_beside_a_reference_is_left_alone() -> None:
    """An example of a data set may hold more than the reference; what is no slip of the pen for a part is not read."""
    beside: dict[str, object] = {
        "answer": "Rome",
        "roles": ["user"],
        "result": 4,
        "metadata": {},
        "name": "x",
    }
    example = {**beside, "steps": [["a"]]}
    assert decide([["a"]], example).score is True
    with pytest.raises(InvalidReferenceError, match="Did you mean 'results'"):
        TrajectoryMatcher(example, results="exact")


@pytest.mark.parametrize(
    ("part", "given", "error", "words"),
    [
        (Glob, call(""), InvalidReferenceError, "the pattern of Glob is empty: no name is"),
        (Regex, call(""), InvalidReferenceError, "the pattern of Regex is empty: no name is"),
        (Regex, call("("), InvalidReferenceError, "'(' is no regular expression"),
        (Regex, call(None), TrajectoryTypeError, "the pattern of Regex is None"),
        (Glob, call(1), TrajectoryTypeError, "the pattern of Glob is 1 of type int"),
        (OneOf, call(), InvalidReferenceError, "OneOf has no choice"),
        (AnyOf, call(), InvalidReferenceError, "AnyOf has no run"),
        (AnyOf, call([]), InvalidReferenceError, "AnyOf has no run"),
        (Repeat, call([]), InvalidReferenceError, "a Repeat holds no superstep"),
        (Repeat, call("ab"), TrajectoryTypeError, "steps of a Repeat is 'ab' of type str"),
        (Repeat, call([["a"]], 2, 1), InvalidReferenceError, "min 2 and max 1: it could never stand there"),
        (Repeat, call([["a"]], 0, 0), InvalidReferenceError, "min 0 and max 0: it could never stand there"),
        (Repeat, call([["a"]], -1), InvalidReferenceError, "bounds go from 0 to 100,000"),
        (Repeat, call([["a"]], 1.5), TrajectoryTypeError, "min of a Repeat is 1.5 of type float"),
        (Repeat, call([["a"]], None), TrajectoryTypeError, "min of a Repeat is None"),
        (Repeat, call([["a"]], 1, True), TrajectoryTypeError, "max of a Repeat is True of type bool"),
        (ReferenceStep, call(["a"], max=0), InvalidReferenceError, "min 1 and max 0"),
        (ReferenceStep, call(["a"], max=10**6), InvalidReferenceError, "bounds go from 0 to 100,000"),
        (Tool, call(""), InvalidReferenceError, "the name of a Tool is an empty string"),
        (Tool, call(1), TrajectoryTypeError, "the name of a Tool is 1 of type int"),
        (Tool, call("a", 5), TrajectoryTypeError, "args of a Tool is 5 of type int"),
        (Tool, call("a", {}, "eqal"), TrajectoryValueError, "args_mode of a Tool is 'eqal'"),
    ],
)
def test_parts_are_checked_where_they_are_written(
    part: Callable[..., object], given: Given, error: type[Exception], words: str
) -> None:
    """A pattern, loop, choice or tool that can't mean anything is an error of its own line."""
    with pytest.raises(error, match=re.escape(words)):
        part(*given[0], **given[1])


_anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=3)
    | st.sampled_from([Gap(), Any(), Gap, Any]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["steps", "any_of", "rules", "model_calls", "tool", "nth", "chooses"]),
            inner,
            max_size=2,
        )
    ),
    max_leaves=8,
)


@hypothesis.given(_anything)
def test_anything_at_all_is_read_or_refused(value: object) -> None:
    """Whatever stands for a reference, it is read, or refused with an error of this package."""
    with suppress(InvalidReferenceError, TrajectoryTypeError, TrajectoryValueError):
        TrajectoryMatcher(value)  # type: ignore[arg-type]


def test_what_is_nested_too_deep_is_refused() -> None:
    """Thousands of loops in one another are an error of this package, and no RecursionError."""
    loop: Repeat | list[str] = ["a"]
    for _ in range(3_000):
        loop = Repeat([loop], 0, None)
    with pytest.raises(InvalidReferenceError, match="stand in one another too deep"):
        TrajectoryMatcher([loop])


@pytest.mark.parametrize("rule", ["forbidden", "before", "max_visits"])
def test_a_rule_beside_the_rules_is_refused(rule: str) -> None:
    """A rule that is written beside the supersteps, where none is looked for, would pass every run."""
    with pytest.raises(InvalidReferenceError, match=f"has '{rule}': it is a rule.* Write it under 'rules'"):
        TrajectoryMatcher({"steps": [["a"]], rule: ["a"]})


def test_equal_alternatives_have_one_hash() -> None:
    """An `AnyOf` of lists has a hash, as every other part of a reference has."""
    assert {AnyOf([["a"]], [["b"]]), AnyOf([["a"]], [["b"]])} == {AnyOf([["a"]], [["b"]])}
