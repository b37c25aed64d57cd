from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from langchain_core.callbacks import CallbackManager
from langgraph.pregel import main as pregel_main
from opentelemetry import context

from otel_traj.record.graph_entrance import GraphEntrance
from tests.record.graphs import build_chain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_core.callbacks import BaseCallbackHandler

    from otel_traj import TrajectoryCallbackHandler
    from tests.record.recording import Recording


@pytest.fixture
def entrances() -> Iterator[list[GraphEntrance]]:
    """A list whose entrances are closed after the test."""
    opened: list[GraphEntrance] = []
    yield opened
    for entrance in opened:
        entrance.close()


def test_the_first_runs_at_once_make_one_handler(
    recording: Recording, entrances: list[GraphEntrance]
) -> None:
    """However many threads come first, the handler is made once, when a graph runs and not before."""
    made: list[TrajectoryCallbackHandler] = []

    def make() -> TrajectoryCallbackHandler:
        made.append(recording.handler)
        # Time for the other threads to come; the answer does not depend on it, only whether a race would show.
        time.sleep(0.1)
        return recording.handler

    entrance = GraphEntrance(None, make)
    entrances.append(entrance)
    entrance.open(pregel_main)
    graph = build_chain("a")
    assert made == []
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(graph.invoke, [{}] * 16))
    assert len(made) == 1
    assert len(recording.roots) == 16


def test_a_handler_that_cannot_be_made_is_logged_once(
    entrances: list[GraphEntrance], caplog: pytest.LogCaptureFixture
) -> None:
    """The agent runs on, the reason is logged with its place, and nobody tries again at each run."""
    tries: list[int] = []

    def fail() -> TrajectoryCallbackHandler:
        tries.append(1)
        raise ImportError("secret of the user")

    entrance = GraphEntrance(None, fail)
    entrances.append(entrance)
    entrance.open(pregel_main)
    graph = build_chain("a")
    assert [graph.invoke({}) for _ in range(3)] == [{"nodes": ["a"]}] * 3
    assert tries == [1]
    (message,) = [each.getMessage() for each in caplog.records if each.name == "otel_traj"]
    assert "ImportError" in message
    assert "secret" not in message


def test_a_manager_that_takes_no_handler_leaves_the_run_alone(
    recording: Recording, entrances: list[GraphEntrance], caplog: pytest.LogCaptureFixture
) -> None:
    """A caller's manager of its own kind that refuses handlers runs the graph: unrecorded, logged once."""

    class Closed(CallbackManager):
        def add_handler(self, handler: BaseCallbackHandler, inherit: bool = True) -> None:
            raise NotImplementedError

    entrance = GraphEntrance(recording.handler, lambda: recording.handler)
    entrances.append(entrance)
    entrance.open(pregel_main)
    for _ in range(2):
        assert build_chain("a").invoke({}, {"callbacks": Closed([])}) == {"nodes": ["a"]}
    assert recording.spans == []
    assert len([each for each in caplog.records if each.name == "otel_traj"]) == 1


def test_a_langgraph_of_another_making_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    """Where the functions are not, nothing is replaced, and the log says what to do."""
    module = ModuleType("langgraph.pregel.main")
    module.get_callback_manager_for_config = len  # type: ignore[attr-defined]  # one of the two
    before = dict(vars(module))
    with caplog.at_level(logging.WARNING):
        entrance = GraphEntrance(None, pytest.fail)
        entrance.open(module)
    assert vars(module) == before
    (message,) = [each.getMessage() for each in caplog.records]
    assert "get_async_callback_manager_for_config" in message
    assert "TrajectoryCallbackHandler" in message
    entrance.close()
    assert vars(module) == before


def test_suppressed_regions_are_not_recorded(recording: Recording, entrances: list[GraphEntrance]) -> None:
    """Where OpenTelemetry's context asks instrumentations to stand aside, a run gets no handler."""
    entrance = GraphEntrance(recording.handler, lambda: recording.handler)
    entrances.append(entrance)
    entrance.open(pregel_main)
    token = context.attach(context.set_value("suppress_instrumentation", True))
    try:
        build_chain("a").invoke({})
    finally:
        context.detach(token)
    assert recording.spans == []
    build_chain("a").invoke({})
    assert len(recording.roots) == 1
