from __future__ import annotations

import time

from otel_traj.match import Tool, TrajectoryMatcher
from tests.match.judging import decide


def test_where_a_long_run_holds_no_whole_reference_it_is_said_how_far_it_gets() -> None:
    """In the mode contains the first difference is that of the longest beginning of the reference that ran."""
    run = [["x"]] * 200 + [["a"], ["b"], ["c"], ["e"]] + [["x"]] * 100 + [["a"], ["b"]]
    outcome = decide(run, [["a"], ["b"], ["c"], ["d"]], trajectory_mode="contains")
    assert outcome.comment == (
        "superstep 204 (superstep 4 of the reference): expected {d}, got {e}; missing d; extra e\n"
        "expected 4 supersteps, got 306; over 300 supersteps: only the first difference is named"
    )


def test_where_the_run_ends_too_early_what_is_missing_is_named() -> None:
    """A run that ends amid the reference lacks the rest of it."""
    run = [["x"]] * 305 + [["a"], ["b"]]
    outcome = decide(run, [["a"], ["b"], ["c"]], trajectory_mode="contains")
    assert (outcome.comment or "").startswith("superstep 3: expected {c}, got nothing; missing c\n")


def test_a_long_reference_is_looked_for_anywhere_in_a_long_run_in_linear_time() -> None:
    """18,000 supersteps that nearly stand everywhere in 20,000 are not tried at every place."""
    matcher = TrajectoryMatcher([["a"]] * 17_999 + [["b"]], trajectory_mode="contains")
    started = time.process_time()
    assert not matcher.matches([["a"]] * 20_000)
    assert matcher.matches([["a"]] * 20_000 + [["b"], ["c"]])
    assert time.process_time() - started < 10.0


def test_calls_of_one_tool_with_other_arguments_are_other_calls_anywhere_too() -> None:
    """What is known of a superstep is not taken for one whose tool calls have other arguments."""
    matcher = TrajectoryMatcher(
        [[Tool("s", {"a": 1})], [Tool("s", {"a": 2})]], level="tools", trajectory_mode="contains"
    )

    def run(*values: int) -> list[list[dict[str, object]]]:
        return [[{"tool": "s", "args": {"a": value}}] for value in values]

    assert matcher.matches(run(3, 1, 2, 4))
    assert not matcher.matches(run(1, 1, 1))
    assert not matcher.matches(run(2, 1))
