"""Law: what is lost is never hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tests.laws.losses import Loss, Truth, find_lie, losses, read_quietly, take_away
from tests.laws.recordings import read_spans, record
from tests.laws.settings import law
from tests.laws.strategies import cases

if TYPE_CHECKING:
    from tests.laws.spec import Case

TWO_SERVICES = ("laws", "laws-too")


@law(60)
@given(case=cases(processes="one", max_nodes=12), lost=st.lists(losses, min_size=5, max_size=20))
def test_lost_spans_of_any_run_are_never_hidden(case: Case, lost: list[Loss]) -> None:
    """Whatever spans are lost, each run has its true supersteps or says that it is not complete, and why."""
    spans = read_spans("".join(record(case, services=TWO_SERVICES).lines))
    truth = Truth(spans)
    for loss in lost:
        left = take_away(spans, loss)
        lie = find_lie(read_quietly(left), truth.tell(left))
        assert not lie, loss
