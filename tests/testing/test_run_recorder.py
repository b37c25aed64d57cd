from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from otel_traj import LangGraphInstrumentor, NotEvaluatedError, read_runs
from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.evaluate.references.reference import ExpectedThread, Reference
from otel_traj.record.samples import build_approval, build_seven_nodes
from otel_traj.testing import RunRecorder
from tests.testing.asking import LONG, REFERENCES, SHORT, ask

if TYPE_CHECKING:
    from pathlib import Path

    from otel_traj import Verdict


def test_runs_are_read_back_whole() -> None:
    """Each run is complete and verified, with content, in the order of their start."""
    with RunRecorder() as recorder:
        ask(recorder)
        ask(recorder, shortcut=True, case="short")
    first, second = recorder.runs
    assert (first.steps[1:], second.steps[1:], second.case) == (LONG, SHORT, "short")
    assert all(run.complete and run.verified for run in recorder.runs)
    assert second.results == {"shortcut": True, "nodes": ["node1", "node2", "node7"]}


def test_the_one_run() -> None:
    """`run` is the one there is; none is not evaluated, and of several none is chosen."""
    recorder = RunRecorder()
    with pytest.raises(NotEvaluatedError, match="no run was recorded; pass the recorder's `handler`"):
        _ = recorder.run
    ask(recorder)
    assert recorder.run.steps[1:] == LONG
    ask(recorder)
    with pytest.raises(AssertionError, match="2 runs were recorded, of seven, seven; `runs` holds them all"):
        _ = recorder.run
    recorder.clear()
    assert recorder.runs == []


def test_async_runs_are_recorded() -> None:
    """A run of an event loop is read back like any other."""
    recorder = RunRecorder()
    graph = build_seven_nodes()
    asyncio.run(graph.ainvoke({"shortcut": True, "nodes": []}, config={"callbacks": [recorder.handler]}))
    recorder.assert_matches(SHORT)


def test_recorders_know_nothing_of_each_other() -> None:
    """Two recorders at once hold a run each, and the global provider has no part in it."""
    before = trace.get_tracer_provider()
    one, other = RunRecorder(), RunRecorder()
    ask(one)
    ask(other, shortcut=True)
    assert (one.run.steps[1:], other.run.steps[1:]) == (LONG, SHORT)
    assert trace.get_tracer_provider() is before


def test_what_is_current_outside_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a sampler of the environment nor a span of another provider keeps a run from being recorded."""
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    elsewhere = TracerProvider(shutdown_on_exit=False).get_tracer("elsewhere")
    recorder = RunRecorder()
    with elsewhere.start_as_current_span("a test of another plugin"):
        ask(recorder)
    recorder.assert_matches(LONG)


def test_a_disabled_sdk_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where OpenTelemetry is switched off, the message says so."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    recorder = RunRecorder()
    ask(recorder)
    with pytest.raises(NotEvaluatedError, match="OTEL_SDK_DISABLED is set"):
        recorder.assert_matches(LONG)


def test_agents_that_take_no_callbacks() -> None:
    """`instrument` records every run of the process until `close`, and what was recorded stays."""
    with RunRecorder() as recorder:
        recorder.instrument()
        build_seven_nodes().invoke({"shortcut": True, "nodes": []})
        recorder.assert_matches(SHORT)
    build_seven_nodes().invoke({"shortcut": True, "nodes": []})
    assert len(recorder.runs) == 1
    assert not LangGraphInstrumentor().is_instrumented_by_opentelemetry


def test_an_instrumented_process_is_refused() -> None:
    """Where runs go elsewhere already, that is an error, and the other instrumentation stays."""
    with RunRecorder() as first, RunRecorder() as second:
        first.instrument()
        with pytest.raises(
            TrajectoryValueError, match=r"uninstrument\(\) first, or pass the recorder's `handler`"
        ):
            second.instrument()
        second.close()
        build_seven_nodes().invoke({"shortcut": True, "nodes": []})
        first.assert_matches(SHORT)


def test_a_handler_of_its_own_options() -> None:
    """`make_handler` takes the options of a handler, content off among them; an unknown one is an error."""
    recorder = RunRecorder()
    handler = recorder.make_handler(content=False, metadata_keys=("tenant",))
    build_seven_nodes().invoke(
        {"shortcut": True, "nodes": []}, config={"callbacks": [handler], "metadata": {"tenant": "t"}}
    )
    assert recorder.run.results is None
    assert recorder.run.attributes["langgraph.metadata.tenant"] == "t"
    with pytest.raises(TypeError, match="contents"):
        recorder.make_handler(contents=True)


def test_a_fail_is_explained() -> None:
    """The message is the engine's explanation, as `assert_trajectory` gives it."""
    recorder = RunRecorder()
    ask(recorder)
    with pytest.raises(AssertionError) as raised:
        recorder.assert_matches([*LONG[:2], ["node4"], *LONG[3:]])
    assert not isinstance(raised.value, NotEvaluatedError)
    assert str(raised.value) == (
        "FAIL graph_trajectory_match (strict, unordered): 1 edit, fitness 0.909\n"
        "  superstep 3: expected {node4}, got {node4, node5}; extra node5"
    )


def test_options_and_several_runs() -> None:
    """Options are those of the matching functions, results among them; several runs are one thread."""
    recorder = RunRecorder()
    ask(recorder)
    recorder.assert_matches(LONG[:2], trajectory_mode="starts_with")
    with pytest.raises(AssertionError, match="FAIL path_results"):
        recorder.assert_matches(
            {"steps": LONG, "results": {"shortcut": True}}, results="superset", key="path"
        )
    ask(recorder, shortcut=True)
    recorder.assert_matches([{"steps": LONG}, {"steps": SHORT}])
    with pytest.raises(AssertionError, match="2"):
        recorder.assert_matches([{"steps": LONG}])
    with pytest.raises(TrajectoryTypeError, match="expected is None"):
        recorder.assert_matches(None)  # type: ignore[arg-type]


def test_a_waiting_run_is_not_evaluated() -> None:
    """A run that waits for a person is neither a pass nor a fail; resumed, it is one run and passes."""
    recorder = RunRecorder()
    graph = build_approval(InMemorySaver())
    config = {"callbacks": [recorder.handler], "configurable": {"thread_id": "t"}}
    graph.invoke({"topic": "rain"}, config=config)  # type: ignore[call-overload]
    expected = [["draft"], ["ask"], ["__interrupt__"], ["send"]]
    with pytest.raises(NotEvaluatedError, match="waiting at ask"):
        recorder.assert_matches(expected)
    from langgraph.types import Command

    graph.invoke(Command(resume=True), config=config)  # type: ignore[call-overload]
    recorder.assert_matches(expected)


def test_references_are_chosen_or_named() -> None:
    """Without a name each run's own reference counts; a name counts whatever the reference is for."""
    recorder = RunRecorder(references=REFERENCES)
    ask(recorder, case="long")
    ask(recorder, shortcut=True, case="short")
    recorder.assert_meets()
    recorder.clear()
    ask(recorder)
    recorder.assert_meets("long path")
    with pytest.raises(AssertionError) as raised:
        recorder.assert_meets("short path")
    assert str(raised.value).startswith(
        'FAIL graph_trajectory_match, reference "short path", graph seven (strict, unordered): 5 edits'
    )


def test_no_run_goes_unjudged() -> None:
    """A run that no reference applies to is no pass, whatever the others are; neither is no run at all."""
    recorder = RunRecorder(references=REFERENCES)
    with pytest.raises(NotEvaluatedError, match="no run was recorded"):
        recorder.assert_meets()
    ask(recorder, case="long")
    ask(recorder, case="lnog")
    with pytest.raises(NotEvaluatedError, match="no reference applies to graph 'seven', case 'lnog'"):
        recorder.assert_meets()


def test_a_reference_of_threads_can_be_named() -> None:
    """It judges the runs of a thread together; a run of no thread is nothing that it is for."""
    conversation = Reference(name="both ways", thread=ExpectedThread(runs=("long path", "short path")))
    recorder = RunRecorder(references=[*REFERENCES, conversation])
    graph = build_seven_nodes(InMemorySaver())
    config = {"callbacks": [recorder.handler], "configurable": {"thread_id": "t"}}
    for shortcut in (False, True):
        graph.invoke({"shortcut": shortcut, "nodes": []}, config=config)  # type: ignore[call-overload]
    recorder.assert_meets("both ways")
    graph.invoke({"shortcut": True, "nodes": []}, config=config)  # type: ignore[call-overload]
    with pytest.raises(AssertionError, match='FAIL graph_trajectory_match, reference "both ways"'):
        recorder.assert_meets("both ways")
    recorder.clear()
    ask(recorder)
    with pytest.raises(NotEvaluatedError, match="nothing that the reference 'both ways' is for"):
        recorder.assert_meets("both ways")


def test_references_of_a_file(tmp_path: Path) -> None:
    """A file is read when it is needed; what is wrong with it, or with a name, is said then."""
    path = tmp_path / "references.json"
    recorder = RunRecorder(references=path)
    path.write_text(
        json.dumps({"version": 1, "references": [{"name": "short", "steps": ["node1", "node2", "node7"]}]}),
        "utf-8",
    )
    ask(recorder, shortcut=True)
    recorder.assert_meets("short")
    with pytest.raises(InvalidReferenceError, match="no reference is named 'shrt'; there are 'short'"):
        recorder.assert_meets("shrt")
    with pytest.raises(TrajectoryTypeError, match="a reference is named by a string"):
        recorder.assert_meets(SHORT)  # type: ignore[arg-type]
    with pytest.raises(InvalidReferenceError, match="does not exist"):
        RunRecorder(references=tmp_path / "none.yaml").assert_meets()
    with pytest.raises(InvalidReferenceError, match="there are no references to judge by"):
        RunRecorder().assert_meets()


def test_every_verdict_is_told() -> None:
    """`on_verdict` gets each verdict, passes too, with its runs, before an assertion raises."""
    told: list[Verdict] = []
    recorder = RunRecorder(references=REFERENCES, on_verdict=told.append)
    ask(recorder, case="long")
    recorder.assert_meets()
    with pytest.raises(AssertionError):
        recorder.assert_matches(SHORT)
    assert [(each.verdict, each.reference, each.runs[0].case) for each in told] == [
        ("pass", "long path", "long"),
        ("fail", None, "long"),
    ]
    assert told[1].run_id == recorder.run.run_id


def test_spans_are_kept_in_a_file(tmp_path: Path) -> None:
    """With a path every span is in the file as well, recorders one after another append, and it is read as any."""
    path = tmp_path / "traces.jsonl"
    for shortcut in (False, True):
        with RunRecorder(path=path) as recorder:
            ask(recorder, shortcut=shortcut)
    assert [(run.steps[1:], run.verified) for run in read_runs(path)] == [(LONG, True), (SHORT, True)]
