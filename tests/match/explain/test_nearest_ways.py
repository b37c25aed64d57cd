from __future__ import annotations

from otel_traj.match import AnyOf, TrajectoryMatcher
from otel_traj.match.compare.ordered import OrderedComparer
from otel_traj.match.explain.nearest_ways import pick_near_ways
from otel_traj.match.supersteps import ActualStep, ExpectedStep
from tests.match.judging import decide

LENGTH = 40


def make_way(name: str) -> list[list[str]]:
    """Return a trajectory of supersteps of its own, the first ones shared by all."""
    return [["a"] if at < LENGTH // 2 else [name] for at in range(LENGTH)]


WAYS = AnyOf(*(make_way(f"b{at:03}") for at in range(500)))


def test_of_few_trajectories_all_are_looked_at() -> None:
    """Below the bound the nearest one is found for certain, and nothing is said of a bound."""
    outcome = decide([["a"], ["c"]], AnyOf([["a"], ["b"], ["c"]], [["a"], ["c"], ["d"]], [["x"]]))
    assert outcome.comment == "superstep 2: expected {b}, got nothing; missing b"
    assert outcome.metadata is not None
    assert "capped" not in outcome.metadata


def test_of_very_many_trajectories_those_that_share_the_most_names_are_looked_at() -> None:
    """Hundreds of long trajectories are explained by the nearest one, within the bound, and the comment says so."""
    run = [*make_way("b321")[:-1], ["c"]]
    outcome = decide(run, WAYS)
    assert outcome.score is False
    assert outcome.comment == (
        "superstep 40: expected {b321}, got {c}; missing b321; extra c\n"
        "the reference allows 500 trajectories; only the 59 most alike are looked at"
    )
    assert outcome.metadata is not None
    assert outcome.metadata["capped"] is True
    assert outcome.metadata["edits"] == 2


def test_the_verdict_depends_on_no_bound() -> None:
    """The last of hundreds of trajectories passes as the first does."""
    matcher = TrajectoryMatcher(WAYS)
    for at in (0, 499):
        assert decide(make_way(f"b{at:03}"), WAYS).score is True
        assert matcher.matches(make_way(f"b{at:03}"))


def test_one_trajectory_at_least_is_looked_at() -> None:
    """A trajectory that is over the bound by itself is still explained, for it has bounds of its own."""
    actual = [ActualStep(at, ("a",), at) for at in range(300)]
    long = [ExpectedStep(at, ("a",), "unordered") for at in range(1000)]
    ways = [OrderedComparer(long, "strict"), OrderedComparer(long[:-1], "strict")]
    assert pick_near_ways(ways, actual) == [1]
