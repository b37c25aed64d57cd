from __future__ import annotations

import pytest

from otel_traj.errors import InvalidReferenceError, TrajectoryValueError
from otel_traj.match import OneOf, Tool, TrajectoryMatcher
from tests.match.judging import decide, make_run

RUN = make_run([["model"], ["tools"], ["model"]])


@pytest.mark.parametrize(
    "reference",
    [
        [["model"], [Tool("search")], ["model"]],
        [["model"], ["tools", {"tool": "search", "args": {"q": 1}}], ["model"]],
        {"any_of": [[["model"]], [["model"], [OneOf("x", Tool("search"))]]]},
        {"rules": {"forbidden": [Tool("search")]}},
        {"rules": {"before": [[Tool("search"), "model"]]}},
        {"rules": {"max_visits": {Tool("search"): 1}}},
    ],
)
def test_a_tool_is_no_part_of_a_run_at_level_nodes(reference: object) -> None:
    """Where no tool call is listed a `Tool` would fail, or hold, for ever; the error names the levels that list them."""
    with pytest.raises(InvalidReferenceError, match=r"names the tool search.* level='tools' or 'both'"):
        decide(RUN, reference)
    with pytest.raises(InvalidReferenceError, match="names the tool search"):
        TrajectoryMatcher(reference).matches([RUN])  # type: ignore[arg-type]
    assert decide(RUN, reference, level="tools").score is not None


def test_arguments_are_not_compared_at_level_nodes() -> None:
    """An option that would compare nothing is refused, but where model calls are compared by it."""
    with pytest.raises(TrajectoryValueError, match=r"args says .* nothing would be compared by it"):
        decide(RUN, [["model"], ["tools"], ["model"]], args="exact")
    assert decide(RUN, [["model"], ["tools"], ["model"]], args="ignore").score is True
    calls = {"model_calls": [{"nth": 1, "chooses": ["search"]}]}
    assert decide(RUN, calls, args="exact").score is False


def test_a_plain_trajectory_holds_what_its_user_wrote() -> None:
    """Tool calls that were written down are compared at every level."""
    ran = [[{"tool": "search", "args": {"q": 1}}]]
    assert decide(ran, [[Tool("search", {"q": 1})]], args="exact").score is True
    assert decide(ran, {"rules": {"forbidden": [Tool("search")]}}).score is False
