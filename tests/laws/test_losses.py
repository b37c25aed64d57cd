"""Law: what is lost is never hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.losses import Loss, Truth, find_lie, losses, read_quietly, take_away
from tests.laws.recordings import read_spans, record
from tests.laws.settings import law
from tests.laws.strategies import cases
from tests.oracles import ALL
from tests.recorded import record_to_file

if TYPE_CHECKING:
    from pathlib import Path

    from otel_traj.model import Span
    from tests.laws.spec import Case
    from tests.oracles.driver import Mode
    from tests.oracles.scenario import Scenario

TWO_SERVICES = ("laws", "laws-too")
MANY = st.lists(losses, min_size=15, max_size=30)


@law(100)
@given(case=cases(edits=False, max_nodes=16), lost=MANY)
def test_what_one_process_loses_is_never_hidden(case: Case, lost: list[Loss]) -> None:
    """Whatever spans are lost, each run has its true supersteps or says that it is not complete, and why.

    A call that travels back in time is never lost whole: it could not be told from another run that was left out
    by sampling. Nor is the state edited: that takes up numbers as a call does.
    """
    spans = read_spans("".join(record(case).lines))
    truth = Truth(spans)
    travels = [trace for trace, call in zip(truth.calls, case.calls, strict=True) if call.back]
    for loss in lost:
        check(spans, truth, loss, travels)


@law(100)
@given(case=cases(processes="handed over", max_nodes=16), lost=MANY)
def test_what_is_lost_of_two_services_is_never_hidden(case: Case, lost: list[Loss]) -> None:
    """A thread that one service hands over to another: whatever is lost, all of one of them too, is told.

    Else no call is lost whole: the second service has not seen the first one's calls, and their numbers alone do
    not tell of each of them.
    """
    spans = read_spans("".join(record(case, services=TWO_SERVICES).lines))
    truth = Truth(spans)
    for loss in lost:
        check(spans, truth, loss, () if loss.lost == "service" else truth.calls)


def check(spans: list[Span], truth: Truth, loss: Loss, never_whole: tuple[str, ...] | list[str] = ()) -> None:
    """Lose spans and look for a lie."""
    left = take_away(spans, loss, never_whole=never_whole)
    lie = find_lie(read_quietly(left), truth.tell(left))
    assert not lie, loss


@pytest.mark.parametrize(
    ("scenario", "mode"),
    [pytest.param(each, mode, id=f"{each.number}-{mode}") for each in ALL for mode in each.modes],
)
def test_what_is_lost_of_an_oracle_is_never_hidden(scenario: Scenario, mode: Mode, tmp_path: Path) -> None:
    """Every kind of loss, a few times, from the recording of every oracle."""
    if scenario.missing:
        pytest.skip(f"the installed langgraph lacks {', '.join(scenario.missing)}")
    record_to_file(scenario, mode, tmp_path / "traces.jsonl")
    spans = read_spans((tmp_path / "traces.jsonl").read_text("utf-8"))
    truth = Truth(spans)
    for seed in range(5):
        for lost in Loss.kinds():
            check(spans, truth, Loss(lost=lost, seed=seed))
