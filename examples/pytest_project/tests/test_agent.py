"""The agent's tests; `run_recorder` and the marker come with otel_traj."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from agent import answer

if TYPE_CHECKING:
    from otel_traj.testing import RunRecorder


@pytest.mark.otel_traj(reference="looks up order and policy")
def test_an_order_is_looked_up(run_recorder: RunRecorder) -> None:
    """Judged by a reference of the file, once the test itself has passed."""
    said = answer("Where is my order?", case="order", callbacks=[run_recorder.handler])
    assert "on its way" in said


@pytest.mark.otel_traj
@pytest.mark.parametrize(("text", "case"), [("hello", "greeting"), ("my order!", "order")])
def test_every_case_has_its_reference(text: str, case: str, run_recorder: RunRecorder) -> None:
    """The reference is chosen by its `applies_to`, as `otel-traj eval` does it."""
    answer(text, case=case, callbacks=[run_recorder.handler])


def test_the_steps_stand_in_the_test(run_recorder: RunRecorder) -> None:
    """No file: what is expected is written here. The agent gets no callbacks."""
    run_recorder.instrument()
    answer("hello", case="greeting")
    run_recorder.assert_matches([["understand"], ["write"]])
    assert run_recorder.run.results == {"text": "hello", "answer": "hello; how can we help?"}


def test_it_goes_the_same_way_nearly_every_time(run_recorder: RunRecorder) -> None:
    """An agent with a model in it need not; this one does."""
    callbacks = [run_recorder.handler]
    repeated = run_recorder.repeat(lambda: answer("order 17", case="order", callbacks=callbacks), times=10)
    repeated.assert_meets("looks up order and policy", at_least=9)
