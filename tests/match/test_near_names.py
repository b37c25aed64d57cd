from __future__ import annotations

import pytest

from otel_traj.match import Tool
from otel_traj.match.near_names import is_near
from tests.match.judging import decide


@pytest.mark.parametrize(
    ("name", "other", "near"),
    [
        ("serach", "search", True),
        ("search", "searchs", True),
        ("Web Search", "web_search", True),
        ("plan_a", "plan_b", False),
        ("node1", "node2", False),
        ("ab", "abc", False),
    ],
)
def test_a_slip_of_the_pen_is_told_from_another_name(name: str, other: str, near: bool) -> None:
    """Letters changed round, one more or less, case and separators are slips; a digit or another letter is not."""
    assert is_near(name, other) is near
    assert is_near(other, name) is near


def _hints(entry: object) -> str:
    ran = [["a"], [{"tool": "search", "args": {"q": 2}}]]
    return decide(ran, [["a"], [entry]]).comment or ""


def test_a_tool_called_with_other_arguments_is_not_misspelt() -> None:
    """What shows a tool's arguments is no name, so `search(q)` is never taken for a slip of `search`."""
    assert "arguments of search: at q: differs" in _hints(Tool("search", {"q": 1}))
    assert "did you mean" not in _hints(Tool("search", {"q": 1}))
    assert "hint: did you mean search? serach of the reference never ran" in _hints(Tool("serach", {"q": 1}))
