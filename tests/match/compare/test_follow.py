from __future__ import annotations

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
