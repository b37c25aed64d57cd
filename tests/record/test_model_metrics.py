from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import NoOpTracerProvider

from otel_traj import LangGraphInstrumentor, TrajectoryCallbackHandler
from otel_traj import semconv as sc
from otel_traj.errors import TrajectoryTypeError
from otel_traj.record.recorder import Recorder
from tests.record.graphs import State, build_chain
from tests.record.recording import Recording, get_id
from tests.record.test_model_calls import Model

if TYPE_CHECKING:
    from collections.abc import Callable

CALL = {sc.OPERATION_NAME: "chat", sc.PROVIDER_NAME: "model", sc.REQUEST_MODEL: "m-1"}
ANSWERED = {**CALL, sc.RESPONSE_MODEL: "m-1-2026"}


class Measuring:
    """A meter provider, and what it was told."""

    def __init__(self) -> None:
        self._reader = InMemoryMetricReader()
        self.provider = MeterProvider([self._reader], shutdown_on_exit=False)

    def read(self, name: str) -> list[Any]:
        """Return the data points of a metric."""
        data = self._reader.get_metrics_data()
        return [
            point
            for resource in (data.resource_metrics if data is not None else ())
            for scope in resource.scope_metrics
            if scope.scope.name == sc.SCOPE_NAME
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]


@pytest.fixture
def measuring() -> Measuring:
    """A meter provider of the SDK."""
    return Measuring()


def ask(model: Model) -> Callable[[State], State]:
    """Return a node that calls a model."""

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        model.invoke("hi")
        return {"nodes": ["call"]}

    return call


def test_call_is_measured_by_the_genai_conventions(measuring: Measuring) -> None:
    """A call has its duration in seconds and its tokens, in and out, with provider, operation and models."""
    recording = Recording(meter_provider=measuring.provider)
    build_chain("call", call=ask(Model())).invoke({}, recording.config("t1"))
    (duration,) = measuring.read("gen_ai.client.operation.duration")
    span = recording.get("chat m-1")
    assert dict(duration.attributes) == ANSWERED
    assert duration.count == 1
    assert 0 <= duration.sum <= 60
    assert [each.span_id for each in duration.exemplars] == [get_id(span)]
    tokens = measuring.read("gen_ai.client.token.usage")
    assert {point.attributes["gen_ai.token.type"]: point.sum for point in tokens} == {
        "input": 100,
        "output": 20,
    }
    assert all(
        {**point.attributes, "gen_ai.token.type": ""} == {**ANSWERED, "gen_ai.token.type": ""}
        for point in tokens
    )


def test_streamed_calls_are_counted_once_each(measuring: Measuring) -> None:
    """Tokens of a stream are its last word, and two calls of one kind make one series."""
    recording = Recording(meter_provider=measuring.provider)
    for _ in range(2):
        list(Model().stream("hi", config=recording.config()))
    assert [(point.count, point.sum) for point in measuring.read(sc.CLIENT_TOKEN_USAGE)] == [
        (2, 200),
        (2, 40),
    ]
    assert [point.count for point in measuring.read(sc.CLIENT_OPERATION_DURATION)] == [2]


def test_failed_call_is_measured_with_its_type(measuring: Measuring) -> None:
    """A call that raises has a duration with `error.type`, and no tokens; one that its caller left has no error."""
    recording = Recording(meter_provider=measuring.provider)
    with pytest.raises(TimeoutError):
        Model(error=TimeoutError("planted")).invoke("hi", config=recording.config())
    chunks = Model().stream("hi", config=recording.config())
    next(chunks)
    chunks.close()  # type: ignore[attr-defined]  # it is a generator
    durations = measuring.read(sc.CLIENT_OPERATION_DURATION)
    assert [dict(point.attributes) for point in durations] == [{**CALL, sc.ERROR_TYPE: "TimeoutError"}, CALL]
    assert measuring.read(sc.CLIENT_TOKEN_USAGE) == []


@pytest.mark.filterwarnings("ignore:.*no OpenTelemetry SDK")
def test_what_no_span_shows_is_measured_too(measuring: Measuring) -> None:
    """Numbers of a sample would be wrong: a call counts in an unsampled run, and without a tracer provider."""
    unsampled = Recording(sampler=ALWAYS_OFF, meter_provider=measuring.provider)
    handler = TrajectoryCallbackHandler(
        tracer_provider=NoOpTracerProvider(), meter_provider=measuring.provider, content=True
    )
    for each in (unsampled.handler, handler):
        build_chain("call", call=ask(Model())).invoke({}, {"callbacks": [each]})
        assert each.open_count == 0
        assert not any(each.counters.values())
    assert unsampled.spans == []
    (duration,) = measuring.read(sc.CLIENT_OPERATION_DURATION)
    assert duration.count == 2
    assert dict(duration.attributes) == ANSWERED
    assert [point.sum for point in measuring.read(sc.CLIENT_TOKEN_USAGE)] == [200, 40]


def test_calls_left_to_another_instrumentation_are_not_measured(measuring: Measuring) -> None:
    """With `models=False` the metrics are the other's as well."""
    recording = Recording(meter_provider=measuring.provider, models=False)
    Model().invoke("hi", config=recording.config())
    assert measuring.read(sc.CLIENT_OPERATION_DURATION) == []


def test_nothing_is_measured_unless_asked_for(measuring: Measuring, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a meter provider no number goes out, to the global provider neither."""
    monkeypatch.setattr("opentelemetry.metrics._internal._METER_PROVIDER", measuring.provider)
    assert metrics.get_meter_provider() is measuring.provider
    recording = Recording()
    Model().invoke("hi", config=recording.config())
    assert len(recording.spans) == 1
    assert measuring.read(sc.CLIENT_OPERATION_DURATION) == []
    Model().invoke("hi", config=Recording(meter_provider=metrics.get_meter_provider()).config())
    assert [point.count for point in measuring.read(sc.CLIENT_OPERATION_DURATION)] == [1]


def test_instrumentor_hands_the_provider_on(recording: Recording, measuring: Measuring) -> None:
    """`LangGraphInstrumentor().instrument(meter_provider=...)` measures the calls of every graph."""
    LangGraphInstrumentor().instrument(tracer_provider=recording.provider, meter_provider=measuring.provider)
    build_chain("call", call=ask(Model())).invoke({})
    LangGraphInstrumentor().uninstrument()
    assert [point.count for point in measuring.read(sc.CLIENT_OPERATION_DURATION)] == [1]


def test_meter_that_fails_harms_nobody(measuring: Measuring, monkeypatch: pytest.MonkeyPatch) -> None:
    """A histogram that raises is counted; the span has ended with all it says, and the answer is untouched."""
    recording = Recording(meter_provider=measuring.provider)

    def fail(*_args: object, **_options: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr(recording.handler._metrics, "record", fail)
    assert Model().invoke("hi", config=recording.config()).content == "sunny"
    assert (recording.get("chat m-1").attributes or {})[sc.USAGE_OUTPUT_TOKENS] == 20
    assert recording.handler.counters["callback_errors"] == 1
    assert recording.is_empty()


def test_span_that_could_not_be_started_is_no_reason_to_fail_twice(
    measuring: Measuring, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call whose start failed on our side is not measured: nothing is known of it."""
    recording = Recording(meter_provider=measuring.provider)

    def fail(*_args: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr(Recorder, "start_leaf", fail)
    Model().invoke("hi", config=recording.config())
    assert recording.handler.counters["callback_errors"] == 1
    assert measuring.read(sc.CLIENT_OPERATION_DURATION) == []


def test_what_is_no_meter_provider_is_refused() -> None:
    """An object without meters is an error of the call, by name."""
    with pytest.raises(TrajectoryTypeError, match="meter_provider"):
        TrajectoryCallbackHandler(meter_provider="yes")  # type: ignore[arg-type]  # that is the point


def test_handler_with_a_meter_provider_is_not_pickled(measuring: Measuring) -> None:
    """A meter provider belongs to its process, as a tracer provider does."""
    with pytest.raises(TrajectoryTypeError, match="meter_provider"):
        pickle.dumps(TrajectoryCallbackHandler(meter_provider=measuring.provider))
