from __future__ import annotations

import copy
import inspect
import pickle
from typing import get_args, get_type_hints

import pytest

from otel_traj import GraphTrajectoryMatchMode, GraphTrajectoryMatchModel, MatchResult
from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError
from otel_traj.match import AnyOf, Gap, Glob, GraphRunReferenceTrajectory, OneOf, ReferenceStep, Repeat

PARTS = (AnyOf, Gap, Glob, OneOf, ReferenceStep, Repeat)


def test_repr_names_steps_and_mode() -> None:
    """The repr can be pasted back."""
    step = ReferenceStep(["node4", "node5"], "unordered")
    assert repr(step) == "ReferenceStep(steps=['node4', 'node5'], match_mode='unordered')"
    assert repr(ReferenceStep(("a",))) == "ReferenceStep(steps=['a'], match_mode=None)"


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (OneOf("a", Glob("b*")), "OneOf('a', Glob(pattern='b*'))"),
        (OneOf(["a"], [["b"], Gap()]), "OneOf(['a'], [['b'], Gap()])"),
        (AnyOf([["a"]], [["b"]]), "AnyOf([['a']], [['b']])"),
        (Repeat([["a"]], 0, None), "Repeat(steps=[['a']], min=0, max=None)"),
        (ReferenceStep(["a"], min=0), "ReferenceStep(steps=['a'], match_mode=None, min=0, max=1)"),
    ],
)
def test_every_part_shows_how_it_is_made(part: object, words: str) -> None:
    """What stands in a failing test's output can be pasted into the next one."""
    assert repr(part) == words
    assert eval(words, {each.__name__: each for each in PARTS}) == part  # noqa: S307 - our own words


def test_equality_is_by_names_and_mode() -> None:
    """Equal steps are equal and hash alike, from a list or a tuple; another mode or order is not."""
    assert ReferenceStep(["a", "b"], "exact") == ReferenceStep(("a", "b"), "exact")
    assert len({ReferenceStep(["a", "b"]), ReferenceStep(("a", "b"))}) == 1
    assert ReferenceStep(["a", "b"]) != ReferenceStep(["b", "a"])
    assert ReferenceStep(["a"], "subset") != ReferenceStep(["a"], "superset")


def test_a_step_owns_its_names_and_can_be_copied() -> None:
    """The names are copied at construction; copies and pickles are equal."""
    names = ["a"]
    step = ReferenceStep(names, match_mode="exact")
    names.append("b")
    assert step.steps == ["a"]
    assert copy.deepcopy(step) == pickle.loads(pickle.dumps(step)) == step  # noqa: S301 - our own bytes


@pytest.mark.parametrize("bad", ["node1", b"node1", None, 3, {"a"}, [1], [None], [["a"]]])
def test_what_is_no_list_of_names_is_refused(bad: object) -> None:
    """A string, a set, a number, or anything but strings inside is a TypeError."""
    with pytest.raises(TrajectoryTypeError, match="ReferenceStep"):
        ReferenceStep(bad)  # type: ignore[arg-type]


def test_an_empty_name_is_refused() -> None:
    """An empty name is a ValueError that says where."""
    with pytest.raises(InvalidReferenceError, match="entry 1 of a ReferenceStep is an empty string"):
        ReferenceStep(["a", ""])


@pytest.mark.parametrize("mode", ["Exact", "", "strict", 1, ["exact"]])
def test_an_unknown_mode_lists_the_allowed_ones(mode: object) -> None:
    """A mode that does not exist is refused where it is written."""
    with pytest.raises(InvalidReferenceError, match="Allowed: exact, unordered, subset, superset, at_most"):
        ReferenceStep(["a"], mode)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", get_args(GraphTrajectoryMatchMode))
def test_every_mode_is_accepted_as_it_is_named(mode: GraphTrajectoryMatchMode) -> None:
    """All six names are modes, and the step keeps the one it was given."""
    assert ReferenceStep(["a"], mode).match_mode == mode
    assert ReferenceStep([], mode).steps == []


def test_public_types() -> None:
    """The modes, the alias, and the keys of reference and result are those of the design."""
    assert get_args(GraphTrajectoryMatchMode) == (
        "exact",
        "unordered",
        "subset",
        "superset",
        "at_most",
        "at_least",
    )
    assert GraphTrajectoryMatchModel == GraphTrajectoryMatchMode
    assert list(get_type_hints(MatchResult)) == ["key", "score", "comment", "metadata"]
    assert list(get_type_hints(GraphRunReferenceTrajectory)) == [
        "inputs",
        "results",
        "steps",
        "any_of",
        "rules",
        "model_calls",
    ]


def test_the_parts_of_a_reference_are_made_as_documented() -> None:
    """Bounds default to one; those of a superstep are given by name, those of a loop by place too."""
    step = inspect.signature(ReferenceStep).parameters
    assert [(name, each.default) for name, each in step.items()][1:] == [
        ("match_mode", None),
        ("min", 1),
        ("max", 1),
    ]
    assert step["min"].kind is step["max"].kind is inspect.Parameter.KEYWORD_ONLY
    loop = inspect.signature(Repeat).parameters
    assert [(name, each.default) for name, each in loop.items()][1:] == [("min", 1), ("max", 1)]
    assert Repeat([["a"]], 0, None) == Repeat([["a"]], min=0, max=None)
    assert not inspect.signature(Gap).parameters
