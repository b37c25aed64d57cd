"""How the trajectory modes imply one another, over references with patterns, bounds, loops, gaps and alternatives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, get_args

from hypothesis import assume, given
from hypothesis import strategies as st

from otel_traj.errors import InvalidReferenceError
from otel_traj.match import TrajectoryMatcher, TrajectoryMode, graph_trajectory_match
from tests.match.ordered_references import PATIENT, references, small_runs, step_modes
from tests.match.strategies import trajectories

if TYPE_CHECKING:
    from otel_traj.match import StepMode

ALL_MODES: tuple[TrajectoryMode, ...] = get_args(TrajectoryMode)
FLAT_MODES = ("flat_exact", "flat_in_order", "flat_superset", "flat_unordered", "flat_subset")
all_modes = st.sampled_from(ALL_MODES)


def passes(
    reference: list[object], actual: object, mode: TrajectoryMode, step_mode: StepMode = "unordered"
) -> bool:
    """Return the verdict on one run; a reference that the mode can't compare is no example."""
    try:
        matcher = TrajectoryMatcher({"steps": reference}, trajectory_mode=mode, step_mode=step_mode)
    except InvalidReferenceError:
        assume(False)
        raise
    return matcher.matches({"steps": actual})


@PATIENT
@given(references, small_runs, step_modes)
def test_each_mode_allows_what_the_stricter_one_does(
    reference: list[object], actual: list[list[str]], step_mode: StepMode
) -> None:
    """What passes strict passes starts_with, what passes that contains, and that subsequence; strict is so far, too."""
    verdicts = [
        passes(reference, actual, mode, step_mode)
        for mode in ("strict", "starts_with", "contains", "subsequence")
    ]
    assert verdicts == sorted(verdicts)
    assert passes(reference, actual, "so_far", step_mode) or not verdicts[0]


@PATIENT
@given(references, small_runs, step_modes)
def test_strict_implies_any_order(
    reference: list[object], actual: list[list[str]], step_mode: StepMode
) -> None:
    """What passes in order passes in any order, where the reference means something without one."""
    assert passes(reference, actual, "steps_any_order", step_mode) or not passes(
        reference, actual, "strict", step_mode
    )


@PATIENT
@given(references, small_runs)
def test_strict_implies_the_flat_modes(reference: list[object], actual: list[list[str]]) -> None:
    """What passes strictly, no superstep with a mode that leaves names open, passes with no supersteps at all."""
    assume(
        not any(getattr(item, "match_mode", None) for item in reference) and "mode=" not in repr(reference)
    )
    if passes(reference, actual, "strict"):
        assert all(passes(reference, actual, mode) for mode in ALL_MODES if mode in FLAT_MODES)


@PATIENT
@given(trajectories, trajectories)
def test_the_flat_modes_order_themselves(expected: list[object], actual: list[list[str]]) -> None:
    """flat_exact implies flat_in_order, and that flat_superset; unordered is subset and superset together."""
    flat = {mode: passes(expected, actual, mode) for mode in ALL_MODES if mode in FLAT_MODES}
    assert flat["flat_in_order"] or not flat["flat_exact"]
    assert flat["flat_superset"] or not flat["flat_in_order"]
    assert flat["flat_unordered"] or not flat["flat_exact"]
    assert flat["flat_unordered"] is (flat["flat_subset"] and flat["flat_superset"])


@PATIENT
@given(references, small_runs, step_modes)
def test_every_beginning_of_a_match_is_so_far(
    reference: list[object], actual: list[list[str]], step_mode: StepMode
) -> None:
    """Each beginning of a run that passes strictly passes so_far, and the whole run before it was told so."""
    if passes(reference, actual, "strict", step_mode):
        assert all(passes(reference, actual[:end], "so_far", step_mode) for end in range(len(actual) + 1))


@PATIENT
@given(references, small_runs, small_runs, small_runs, step_modes)
def test_what_runs_around_a_match_is_free_where_the_mode_says_so(
    reference: list[object],
    actual: list[list[str]],
    before: list[list[str]],
    after: list[list[str]],
    step_mode: StepMode,
) -> None:
    """A run that passes strictly passes starts_with whatever follows, contains and subsequence whatever surrounds it."""
    if passes(reference, actual, "strict", step_mode):
        assert passes(reference, [*actual, *after], "starts_with", step_mode)
        assert passes(reference, [*before, *actual, *after], "contains", step_mode)
        between = [step for pair in zip(actual, [*before, *after, *actual], strict=False) for step in pair]
        assert passes(reference, between, "subsequence", step_mode)


@PATIENT
@given(trajectories, all_modes, st.sampled_from(["exact", "unordered", "subset", "superset"]))
def test_a_trajectory_matches_itself_in_every_mode(
    steps: list[list[str]], mode: TrajectoryMode, step_mode: StepMode
) -> None:
    """Every trajectory passes against itself, whatever the two modes are."""
    assert passes(list(steps), steps, mode, step_mode)


@PATIENT
@given(references, st.data(), all_modes)
def test_order_inside_a_superstep_changes_no_verdict(
    reference: list[object], data: st.DataObject, mode: TrajectoryMode
) -> None:
    """Names of one superstep may stand in any order, in every trajectory mode, where no superstep is exact."""
    assume("exact" not in repr(reference))
    actual = data.draw(small_runs)
    shuffled = [data.draw(st.permutations(names)) for names in actual]
    step_mode = data.draw(step_modes.filter(lambda each: each != "exact"))
    assert passes(reference, actual, mode, step_mode) is passes(reference, shuffled, mode, step_mode)


@PATIENT
@given(trajectories, trajectories, st.sampled_from(["strict", "starts_with", "contains", "subsequence"]))
def test_a_node_more_never_fails_superset(
    expected: list[object], actual: list[list[str]], mode: TrajectoryMode
) -> None:
    """Where contained nodes are enough, one more in any superstep changes no pass."""
    if passes(expected, actual, mode, "superset"):
        for at, names in enumerate(actual):
            more = [*actual[:at], [*names, "more"], *actual[at + 1 :]]
            assert passes(expected, more, mode, "superset")


@PATIENT
@given(trajectories, trajectories, step_modes, all_modes)
def test_the_form_changes_nothing_in_any_mode(
    expected: list[list[str]], actual: list[list[str]], step_mode: StepMode, mode: TrajectoryMode
) -> None:
    """The whole answer is the same for tuples, after a JSON round trip, and the second time; and it is JSON."""
    forms: list[tuple[object, object]] = [
        (expected, actual),
        (tuple(map(tuple, expected)), tuple(map(tuple, actual))),
        (json.loads(json.dumps(expected)), json.loads(json.dumps(actual))),
        (expected, actual),
    ]
    answers = [
        graph_trajectory_match(
            outputs=[{"steps": ran}],
            reference_outputs=[{"steps": wanted}],
            step_mode=step_mode,
            trajectory_mode=mode,
        )
        for wanted, ran in forms
    ]
    assert all(answer == answers[0] for answer in answers)
    assert json.loads(json.dumps(answers[0])) == answers[0]
