"""Law: limits on attributes, of the SDK and of stores, are never taken for what ran."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.losses import Loss, Truth, cut_values, find_lie, losses, read_quietly, take_away
from tests.laws.recordings import read_spans, record
from tests.laws.settings import law
from tests.laws.strategies import cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.laws.spec import Case

LIMITS: Final = (2_048, 256, 64)
"""Bytes of one value that stores keep; Tempo keeps 2,048 unless told otherwise."""
OWN: Final = 140
"""More attributes than the 128 that the SDK keeps of a span."""


@pytest.fixture(autouse=True, scope="module")
def _quiet() -> Iterator[None]:
    """Silence the SDK, which says a line of each attribute that it drops."""
    logger = logging.getLogger("opentelemetry.attributes")
    logger.disabled = True
    yield
    logger.disabled = False


@law(80)
@given(case=cases(edits=False, max_nodes=16), lost=st.lists(losses, min_size=4, max_size=8))
def test_limits_on_attributes_are_never_believed(case: Case, lost: list[Loss]) -> None:
    """Nodes flood their spans with attributes, content is recorded, a store cuts every text, and spans are lost.

    The flood alone changes nothing. Of what the store cut and what is lost besides, each run has its true supersteps
    or says that it is not complete, and why. Where all is there, content of which a part was cut is not shown.
    """
    spans = read_spans("".join(record(case, noise=OWN, content=True).lines))
    whole = {run.run_id: run for run in read_quietly(spans)}
    assert [run.problems for run in whole.values() if not (run.complete and run.verified)] == []
    assert all(run.inputs for run in whole.values() if not run.invocations[0].resumed)
    truth = Truth(spans)
    travels = [trace for trace, call in zip(truth.calls, case.calls, strict=True) if call.back]
    for limit in LIMITS:
        cut = [cut_values(span, limit) for span in spans]
        runs = read_quietly(cut)
        assert not find_lie(runs, truth.tell(spans)), limit
        for run in runs:
            assert run.inputs in (None, whole[run.run_id].inputs), limit
            assert run.results in (None, whole[run.run_id].results), limit
        for loss in lost:
            left = take_away(cut, loss, never_whole=travels)
            assert not find_lie(read_quietly(left), truth.tell(left)), (limit, loss)
