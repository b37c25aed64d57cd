from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from otel_traj.match.compare.bipartite import match_all
from otel_traj.match.compare.bulk_matching import BulkMatching

amounts = st.lists(st.integers(0, 4), min_size=1, max_size=5)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[int], list[int], list[list[int]]]:
    """Return kinds of both sides with how many there are of each, and who may go with whom."""
    left, right = draw(amounts), draw(amounts)
    partners = [draw(st.lists(st.integers(0, len(right) - 1), unique=True)) for _ in left]
    return left, right, partners


def _place(left: list[int], right: list[int], partners: list[list[int]]) -> tuple[BulkMatching, list[int]]:
    matching = BulkMatching()
    for capacity in right:
        matching.add_right(capacity)
    return matching, [
        matching.place(matching.add_left(row), number) for number, row in zip(left, partners, strict=True)
    ]


@given(graphs())
def test_as_many_are_placed_as_one_by_one(graph: tuple[list[int], list[int], list[list[int]]]) -> None:
    """Whole amounts place as many of each kind as single members placed in the same order."""
    left, right, partners = graph
    _, alone = _place(left, right, partners)
    starts = [sum(right[:at]) for at in range(len(right))]
    singles = [
        [starts[at] + each for at in row for each in range(right[at])]
        for number, row in zip(left, partners, strict=True)
        for _ in range(number)
    ]
    found = match_all(singles, sum(right))
    ends = [sum(left[: at + 1]) for at in range(len(left))]
    assert alone == [found[end - number : end].count(None) for end, number in zip(ends, left, strict=True)]


@given(graphs())
def test_what_is_placed_adds_up(graph: tuple[list[int], list[int], list[list[int]]]) -> None:
    """Every placed member has an allowed partner, and no partner is given twice."""
    left, right, partners = graph
    matching, alone = _place(left, right, partners)
    for at, number in enumerate(left):
        given_to = matching.partners_of(at)
        assert set(given_to) <= set(partners[at])
        assert sum(given_to.values()) == number - alone[at]
    taken = [
        sum(matching.partners_of(at).get(each, 0) for at in range(len(left))) for each in range(len(right))
    ]
    assert [total + free for total, free in zip(taken, matching.free, strict=True)] == right
