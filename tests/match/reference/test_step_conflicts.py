from __future__ import annotations

import typing
from typing import TYPE_CHECKING, get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from otel_traj.errors import InvalidReferenceError
from otel_traj.match import (
    Any,
    Gap,
    Glob,
    OneOf,
    ReferenceStep,
    Regex,
    Repeat,
    TrajectoryMatcher,
    TrajectoryMode,
)
from tests.match.ordered_references import PATIENT, references, runs_near, step_modes

if TYPE_CHECKING:
    from otel_traj.match import StepMode
    from otel_traj.match.options import GivenOptions
    from otel_traj.match.reference.reference import ReferenceItem

WAIT = ["__interrupt__"]
AB: list[ReferenceItem] = [["a"], ["b", "a"]]


def is_refused(steps: object, rules: object, **options: typing.Unpack[GivenOptions]) -> bool:
    """Return whether a reference is refused for its supersteps and rules together."""
    TrajectoryMatcher({"rules": rules}, **options)
    try:
        TrajectoryMatcher({"steps": steps, "rules": rules}, **options)
    except InvalidReferenceError:
        return True
    return False


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"forbidden": ["b"]}, "rule forbidden does not allow b, and the supersteps have it once at least"),
        (
            {"forbidden": [Glob("[bc]")]},
            r"rule forbidden does not allow glob\(\[bc\]\), and the supersteps have it once at least",
        ),
        ({"max_visits": {"a": 1}}, "allows once at most a, and the supersteps have it 2 times at least"),
        (
            {"required": ["z"]},
            "rule required wants z once at least, and the supersteps leave no place for it",
        ),
        ({"min_visits": {"b": 2}}, "wants b 2 times at least, and the supersteps have it once at most"),
        (
            {"before": [["z", "b"]]},
            "before wants z wherever b runs, and the supersteps have b and leave no place",
        ),
        ({"follows": [["b", "z"]]}, "follows wants z wherever b runs"),
        ({"same_step": [["a", "z"]]}, "same_step wants z wherever a runs"),
        (
            {"max_supersteps": 1},
            "max_supersteps allows 1, and the supersteps of the reference are 2 at least",
        ),
    ],
)
def test_what_no_run_can_meet_is_refused_at_construction(rules: object, words: str) -> None:
    """A rule that the reference's own supersteps break is an error that names both."""
    with pytest.raises(InvalidReferenceError, match=f"^reference_outputs: run 0: .*{words}"):
        TrajectoryMatcher({"steps": AB, "rules": rules})


@pytest.mark.parametrize(
    ("steps", "rules", "options"),
    [
        (AB, {"forbidden": ["b"]}, {"step_mode": "subset"}),
        (AB, {"forbidden": ["b"]}, {"trajectory_mode": "so_far"}),
        (AB, {"forbidden": ["b"]}, {"trajectory_mode": "flat_subset"}),
        (AB, {"required": ["z"]}, {"step_mode": "superset"}),
        (AB, {"required": ["z"]}, {"trajectory_mode": "contains"}),
        (AB, {"min_visits": {"b": 2}}, {"duplicates": "ignore"}),
        ([*AB, Gap()], {"required": ["z"]}, {}),
        ([["a"], [Any()]], {"required": ["z"]}, {}),
        ([["a"], ReferenceStep(["b"], min=0)], {"forbidden": ["b"]}, {}),
        ([["a"], OneOf(["b"], ["c"])], {"forbidden": ["b"]}, {}),
        ([Repeat([["a"], ["b"]], 0, None)], {"min_visits": {"b": 9}}, {}),
        ([["ask"], WAIT, ["b"]], {"max_supersteps": 2}, {}),
        ([["ask"], [Any()], ["b"]], {"max_supersteps": 2}, {}),
        (AB, {"max_supersteps": 1}, {"trajectory_mode": "flat_exact"}),
        (AB, {"required": ["__interrupt__"]}, {"trajectory_mode": "so_far"}),
    ],
)
def test_what_some_run_may_meet_is_allowed(
    steps: list[ReferenceItem], rules: object, options: GivenOptions
) -> None:
    """Where mode, bounds, gaps or patterns leave a way, nothing is refused."""
    assert not is_refused(steps, rules, **options)


def test_of_several_trajectories_all_must_be_impossible() -> None:
    """One trajectory that can be met is enough; where there is none the first is named."""
    rules = {"forbidden": ["b"]}
    TrajectoryMatcher({"any_of": [[["a"]], [["b"]]], "rules": rules})
    with pytest.raises(InvalidReferenceError, match="rule forbidden does not allow b"):
        TrajectoryMatcher({"any_of": [[["b"]], [["a"], ["b"]]], "rules": rules})


def test_an_expression_without_end_refuses_nothing() -> None:
    """Where a rule's expression takes too long, the runs are not evaluated, and say why."""
    name = "a" * 60 + "b"
    matcher = TrajectoryMatcher({"steps": [[name]], "rules": {"forbidden": [Regex("(a|aa)+$")]}})
    outcome, _ = matcher.judge({"steps": [[name]]})
    assert (outcome.score, outcome.metadata and outcome.metadata["reason"]) == (None, "broken")


_names = st.sampled_from("abcz")
_entries = _names | st.sampled_from([Glob("[az]"), Any(), OneOf("a", "b"), "__interrupt__"])
_pairs = st.lists(st.tuples(_entries, _entries), max_size=1)
_visits = st.dictionaries(_names, st.integers(0, 3), max_size=1)
_rules = st.fixed_dictionaries(
    {},
    optional={
        "forbidden": st.lists(_entries, max_size=1),
        "required": st.lists(_entries, max_size=1),
        "before": _pairs,
        "follows": _pairs,
        "same_step": _pairs,
        "max_visits": _visits,
        "min_visits": _visits,
        "max_supersteps": st.integers(0, 2),
    },
)
_step = st.lists(st.sampled_from("abc"), max_size=2) | st.just(WAIT)
_runs = st.lists(st.lists(_step, max_size=4), min_size=5, max_size=5)


@PATIENT
@given(references, _rules, st.data(), step_modes, st.sampled_from(get_args(TrajectoryMode)), st.booleans())
def test_what_is_refused_is_met_by_no_run(
    steps: list[object],
    rules: dict[str, object],
    data: st.DataObject,
    step_mode: StepMode,
    mode: TrajectoryMode,
    counts: bool,
) -> None:
    """No run at all meets the supersteps and holds the rules of a reference that is refused."""
    options: GivenOptions = {
        "step_mode": step_mode,
        "trajectory_mode": mode,
        "duplicates": "count" if counts else "ignore",
    }
    try:
        by_steps = TrajectoryMatcher({"steps": steps}, **options)
        by_rules = TrajectoryMatcher({"rules": rules}, **options)
    except InvalidReferenceError:
        assume(False)
        return
    if is_refused(steps, rules, **options):
        for run in [*data.draw(_runs), *(data.draw(runs_near(steps)) for _ in range(5))]:
            assert not (by_steps.matches({"steps": run}) and by_rules.matches({"steps": run}))
