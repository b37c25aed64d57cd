from __future__ import annotations

import pytest

from otel_traj.errors import (
    InvalidReferenceError,
    NotEvaluatedError,
    TrajectoryTypeError,
    TrajectoryValueError,
)
from otel_traj.match import AnyOf, Tool, assert_trajectory
from tests.match.judging import LONG, SHORTCUT, make_run


def fail_with(actual: object, expected: object, **options: object) -> str:
    """Return the message of an assertion that fails."""
    with pytest.raises(AssertionError) as raised:
        assert_trajectory(actual, expected, **options)  # type: ignore[arg-type]
    return str(raised.value)


def test_runs_that_meet_their_references_pass() -> None:
    """One run, several, records and patterns: nothing is raised."""
    assert_trajectory(LONG, LONG)
    assert_trajectory([LONG, SHORTCUT], [LONG, SHORTCUT])
    assert_trajectory(make_run([["__start__"], *LONG]), AnyOf(LONG, SHORTCUT))
    assert_trajectory(LONG, LONG[:2], trajectory_mode="starts_with", step_mode="exact")


def test_the_message_is_the_explanation() -> None:
    """It says what was compared and how far it is, then what differs, superstep by superstep."""
    assert fail_with([*LONG[:2], ["node4"], ["node5"], *LONG[3:]], LONG) == (
        "FAIL graph_trajectory_match (strict, unordered): 2 edits, fitness 0.833\n"
        "  superstep 3: expected {node4, node5}, got {node4}; missing node5\n"
        "  superstep 4: got {node5}, not expected\n"
        "  hint: node4 and node5 ran one after another, expected in parallel"
    )
    assert fail_with([["a"]], [["a", "b"]], key="path").startswith(
        "FAIL path (strict, unordered): 1 edit, fitness 0.667\n"
    )


def test_modes_without_edits_have_none_in_the_message() -> None:
    """Outside of strict the head says the modes alone."""
    assert fail_with([["a"]], [["b"]], trajectory_mode="contains", step_mode="superset") == (
        "FAIL graph_trajectory_match (contains, superset)\n  superstep 1: expected {b}, got {a}; missing b"
    )


@pytest.mark.parametrize(
    ("actual", "reason"),
    [
        (
            make_run(LONG, complete=False, problems=["root_open"]),
            "run is incomplete (root_open): the words of root_open.",
        ),
        (make_run(LONG[:2], status="interrupted"), "waiting after node3"),
    ],
)
def test_what_can_not_be_judged_is_no_pass(actual: object, reason: str) -> None:
    """A run that is incomplete or waits fails the assertion, with the reason."""
    assert fail_with(actual, LONG) == f"NOT EVALUATED graph_trajectory_match (strict, unordered)\n  {reason}"
    with pytest.raises(NotEvaluatedError):
        assert_trajectory(actual, LONG)  # type: ignore[arg-type]


def test_a_fail_beside_what_can_not_be_judged_is_a_fail() -> None:
    """Only where nothing failed is the error that of something not evaluated."""
    run = make_run(SHORTCUT)
    with pytest.raises(AssertionError) as raised:
        assert_trajectory(run, {"steps": LONG, "results": {"x": 1}}, results="exact")
    assert type(raised.value) is AssertionError
    assert "NOT EVALUATED graph_trajectory_match_results" in str(raised.value)


def test_arguments_that_were_not_recorded_are_no_pass() -> None:
    """The message says how to record them."""
    message = fail_with([[{"tool": "search"}]], [[Tool("search", {"q": 1})]], level="tools")
    assert message.endswith("were not recorded, or not whole: record content (content=True)")


def test_results_have_a_paragraph_of_their_own() -> None:
    """Trajectory and results fail each for itself; what passes is not spoken of."""
    reference = [{"steps": [["a"]], "results": {"x": 1}}]
    assert_trajectory([{"steps": [["a"]], "results": {"x": 1}}], reference, results="exact")
    assert fail_with([{"steps": [["a"]], "results": {"x": 2}}], reference, results="exact") == (
        "FAIL graph_trajectory_match_results (strict, unordered)\n  results: at x: differs"
    )
    both = fail_with([{"steps": [["b"]], "results": {"x": 2}}], reference, results="exact")
    first, second = both.split("\n\n")
    assert first.startswith("FAIL graph_trajectory_match (strict, unordered): 2 edits")
    assert second.startswith("FAIL graph_trajectory_match_results")


def test_bad_input_is_no_assertion_error() -> None:
    """None, no trajectory, an unknown mode and a reference that nothing can meet are errors of the test itself."""
    for expected in (None, 5, "abc"):
        with pytest.raises(TrajectoryTypeError, match="reference_outputs"):
            assert_trajectory(LONG, expected)  # type: ignore[arg-type]
    with pytest.raises(TrajectoryTypeError, match="outputs: it is None"):
        assert_trajectory(None, LONG)  # type: ignore[arg-type]
    with pytest.raises(TrajectoryValueError, match="unknown match mode 'supserset'"):
        assert_trajectory(LONG, LONG, step_mode="supserset")  # type: ignore[arg-type]
    with pytest.raises(TrajectoryTypeError, match="unknown option modes"):
        assert_trajectory(LONG, LONG, modes="strict")  # type: ignore[call-arg]
    with pytest.raises(InvalidReferenceError, match="no run meets both"):
        assert_trajectory(LONG, {"steps": LONG, "rules": {"forbidden": ["node1"]}})


def test_names_are_data_in_the_message() -> None:
    """A name that would act on a terminal is escaped."""
    message = fail_with([["\x1b[2J\u202e"]], [["a"]])
    assert all(line.isprintable() for line in message.split("\n"))
