"""Runs that are not recorded: unsampled, without an SDK, disabled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langgraph.types import Command, interrupt
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased
from opentelemetry.trace import NoOpTracerProvider

from otel_traj import semconv as sc
from otel_traj.record import TrajectoryCallbackHandler
from tests.record.graphs import State, build_chain
from tests.record.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.context import Context
    from opentelemetry.sdk.trace.sampling import SamplingResult
    from opentelemetry.trace import Link, SpanKind, TraceState
    from opentelemetry.util.types import Attributes

    from otel_traj.record import RunEnd


def test_provider_without_sdk_is_warned_of_once() -> None:
    """A handler whose provider records nothing says so at the first run, and what to do; the run is untouched."""
    handler = TrajectoryCallbackHandler(tracer_provider=NoOpTracerProvider())
    with pytest.warns(UserWarning, match=r"configure\(\)"):
        assert build_chain("a").invoke({}, {"callbacks": [handler]}) == {"nodes": ["a"]}
    build_chain("a").invoke({}, {"callbacks": [handler]})
    assert handler.open_count == 0


def test_global_provider_that_nobody_set_is_warned_of() -> None:
    """So does a handler that was left to the global provider."""
    handler = TrajectoryCallbackHandler()
    with pytest.warns(UserWarning, match=r"configure\(\)"):
        build_chain("a").invoke({}, {"callbacks": [handler]})


def test_disabled_sdk_is_no_reason_to_warn(monkeypatch: pytest.MonkeyPatch) -> None:
    """OTEL_SDK_DISABLED is somebody's wish: nothing is recorded and nothing is said."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    told: list[RunEnd] = []
    for provider in (NoOpTracerProvider(), TracerProvider(shutdown_on_exit=False)):
        handler = TrajectoryCallbackHandler(tracer_provider=provider, on_run_end=told.append)
        build_chain("a").invoke({}, {"callbacks": [handler]})
        assert handler.open_count == 0
    assert [(end.trace_id, end.outcome) for end in told] == [("", "ok"), ("", "ok")]


class CountingSampler(ParentBased):
    """Samples nothing, and counts how often it was asked."""

    def __init__(self) -> None:
        super().__init__(ALWAYS_OFF)
        self.asked = 0

    def should_sample(  # noqa: D102 - the SDK's
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        self.asked += 1
        return super().should_sample(parent_context, trace_id, name, kind, attributes, links, trace_state)


def test_unsampled_run_makes_no_spans_and_takes_the_users_along() -> None:
    """Where the sampler drops a run it is asked once; the user's spans in it are dropped with it, outcome told."""
    sampler = CountingSampler()
    told: list[RunEnd] = []
    recording = Recording(sampler=sampler, content=True, on_run_end=told.append)
    seen: list[trace.SpanContext] = []

    def look(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        seen.append(trace.get_current_span().get_span_context())
        return {"nodes": ["look"]}

    build_chain("look", "b", look=look).invoke({}, recording.config())
    assert sampler.asked == 1
    assert not recording.spans
    assert not seen[0].trace_flags.sampled
    assert seen[0].is_valid
    assert trace.format_trace_id(seen[0].trace_id) == told[0].trace_id
    assert told[0].outcome == "ok"
    assert recording.is_empty()


def test_outcome_of_an_unsampled_run_that_pauses_is_told() -> None:
    """An unsampled run that a node interrupts is told as interrupted, whether LangGraph says that it pauses or not."""
    told: list[RunEnd] = []
    recording = Recording(sampler=ALWAYS_OFF, on_run_end=told.append)

    def ask(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        return {"nodes": [interrupt("ok?")]}

    graph = build_chain("a", "ask", saved=True, ask=ask)
    graph.invoke({}, recording.config("t"))
    graph.invoke(Command(resume="yes"), recording.config("t"))
    assert [end.outcome for end in told] == ["interrupted", "ok"]
    assert recording.is_empty()


def test_samplers_see_the_key_attributes() -> None:
    """All key attributes stand on a span at its start, where samplers look."""
    seen: dict[str, Attributes] = {}

    class Look(CountingSampler):
        def should_sample(self, *args: Any, **kwargs: Any) -> SamplingResult:  # noqa: ANN401 - the SDK's
            seen[args[2]] = args[4]
            return super().should_sample(*args, **kwargs)

    recording = Recording(sampler=Look())
    build_chain("a").invoke({}, recording.config("t1"))
    shown = seen["invoke_workflow chain"]
    assert shown is not None
    assert {sc.GRAPH, sc.RUN_ID, sc.THREAD_ID, sc.RESUMED, sc.INPUT_TYPE, sc.OPERATION_NAME} <= shown.keys()
