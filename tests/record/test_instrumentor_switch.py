from __future__ import annotations

import asyncio

import pytest
from langgraph.pregel import Pregel
from langgraph.pregel import main as pregel_main

from otel_traj import LangGraphInstrumentor, read_runs
from otel_traj import semconv as sc
from otel_traj.errors import TrajectoryValueError
from tests.record.graphs import build_chain
from tests.record.recording import Recording, get_handler, read


def test_instrumenting_twice_records_once(instrumented: Recording, caplog: pytest.LogCaptureFixture) -> None:
    """The second call is logged and changes nothing, its options included."""
    other = Recording()
    handler = get_handler()
    LangGraphInstrumentor().instrument(tracer_provider=other.provider)
    assert get_handler() is handler
    build_chain("a").invoke({})
    assert len(instrumented.roots) == 1
    assert other.spans == []
    assert ["already instrumented" in each.getMessage() for each in caplog.records] == [True]


def snapshot() -> dict[str, object]:
    """Return everything that `langgraph.pregel.main` and `Pregel` hold."""
    return {**vars(pregel_main), **{f"Pregel.{name}": value for name, value in vars(Pregel).items()}}


def test_uninstrumenting_leaves_no_trace() -> None:
    """What was replaced is the same object again, nothing else changed, and no later run is recorded."""
    before = snapshot()
    recording = Recording()
    LangGraphInstrumentor().instrument(tracer_provider=recording.provider)
    changed = {name for name, value in snapshot().items() if value is not before[name]}
    assert changed == {"get_callback_manager_for_config", "get_async_callback_manager_for_config"}
    LangGraphInstrumentor().uninstrument()
    after = snapshot()
    assert before.keys() == after.keys()
    assert all(after[name] is value for name, value in before.items())
    assert LangGraphInstrumentor().handler is None
    build_chain("a").invoke({})
    asyncio.run(build_chain("a").ainvoke({}))
    assert recording.spans == []


def test_a_run_under_way_is_recorded_to_its_end(instrumented: Recording) -> None:
    """A stream that was begun before goes on being recorded, subgraphs included, and ends complete."""
    handler = get_handler()
    inner = build_chain("deep", graph_name="inner")
    stream = build_chain("a", "node", "b", node=inner).stream({}, stream_mode="updates")
    next(stream)
    LangGraphInstrumentor().uninstrument()
    list(stream)
    (run,) = read_runs(instrumented.exporter)
    assert run.steps == [["__start__"], ["a"], ["node"], ["b"]]
    assert (run.complete, run.verified, len(run.children)) == (True, True, 1)
    assert handler.open_count == 0


def test_a_wrapper_that_came_later_stays_and_records_nothing(
    instrumented: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where somebody wrapped what was wrapped, theirs stays in place, and what is below it only passes through."""
    name = "get_callback_manager_for_config"
    ours = getattr(pregel_main, name)
    calls: list[object] = []

    def theirs(*args: object, **kwargs: object) -> object:
        calls.append(args)
        return ours(*args, **kwargs)

    monkeypatch.setattr(pregel_main, name, theirs)
    LangGraphInstrumentor().uninstrument()
    assert getattr(pregel_main, name) is theirs
    build_chain("a").invoke({})
    assert len(calls) == 1
    assert instrumented.spans == []
    monkeypatch.setattr(pregel_main, name, ours.__wrapped__)


def test_it_can_be_instrumented_again(instrumented: Recording) -> None:
    """After `uninstrument` a new handler records, with other options."""
    LangGraphInstrumentor().uninstrument()
    LangGraphInstrumentor().instrument(tracer_provider=instrumented.provider, content=True)
    build_chain("a").invoke({"value": "shown"})
    (root,) = instrumented.roots
    assert "shown" in read(root)[sc.INPUTS]


def test_uninstrumenting_what_is_not_instrumented_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """A call too many changes nothing and says so."""
    LangGraphInstrumentor().uninstrument()
    assert ["not instrumented" in each.getMessage() for each in caplog.records] == [True]


def test_wrong_options_are_refused_at_once_and_nothing_is_instrumented() -> None:
    """An option that the handler refuses, or does not know, is an error of the call."""
    before = snapshot()
    with pytest.raises(TrajectoryValueError, match="max_open"):
        LangGraphInstrumentor().instrument(max_open=0)
    with pytest.raises(TypeError, match="no_such_option"):
        LangGraphInstrumentor().instrument(no_such_option=True)
    assert not LangGraphInstrumentor().is_instrumented_by_opentelemetry
    assert all(snapshot()[name] is value for name, value in before.items())


def test_what_any_instrumentation_is_passed_is_taken(recording: Recording) -> None:
    """The arguments that programs pass to all their instrumentations are no error."""
    LangGraphInstrumentor().instrument(
        tracer_provider=recording.provider,
        meter_provider=None,
        logger_provider=None,
        skip_dep_check=True,
        raise_exception_on_conflict=True,
    )
    build_chain("a").invoke({})
    LangGraphInstrumentor().uninstrument()
    assert len(recording.roots) == 1


def test_a_disabled_sdk_changes_nothing(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """With OTEL_SDK_DISABLED nothing is replaced and nothing recorded, and the pair of calls is in order."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    before = snapshot()
    LangGraphInstrumentor().instrument(tracer_provider=recording.provider)
    assert LangGraphInstrumentor().is_instrumented_by_opentelemetry
    assert LangGraphInstrumentor().handler is None
    assert all(snapshot()[name] is value for name, value in before.items())
    LangGraphInstrumentor().uninstrument()
    assert not LangGraphInstrumentor().is_instrumented_by_opentelemetry
