"""Faults that people reported of other tools that judge agents: in what is read, and in what is written.

Each is named by its row; the rows on the comparison stand in `test_evaluation_reports`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from msgspec.structs import replace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import TrajectoryCallbackHandler, evaluate_runs, read_runs
from otel_traj.cli import main
from otel_traj.evaluate import Reference, load_references
from otel_traj.record.samples import build_seven_nodes, build_tool_agent
from tests.evaluate.end_to_end import judge, record, write_references
from tests.evaluate.judging.threads import record_turn
from tests.otlp_lines import write_lines
from tests.record.graphs import build_chain, new_chain
from tests.recorded_runs import outline

if TYPE_CHECKING:
    from otel_traj import Run

ASK: Final[Any] = {"messages": [("user", "Do I need a coat?")]}


def test_e21_a_run_whose_export_is_pending_is_waited_for() -> None:
    """langchain-ai/langsmith-sdk#2852: right after a call, an evaluator sees the whole run or is not asked.

    What is not yet exported is no pass and no fail; with a time to wait, late spans are read until the run is whole.
    """
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(
        BatchSpanProcessor(exporter, schedule_delay_millis=3_600_000, max_export_batch_size=512)
    )
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    build_tool_agent().invoke(ASK, {"callbacks": [handler]})
    seen: list[int] = []

    def count_calls(run: Run) -> bool:
        seen.append(len(run.tool_calls))
        return len(run.tool_calls) == 2 and len(run.model_calls) == 2

    reference = Reference(name="r", steps=[["model"], ["tools"], ["model"]])
    early = evaluate_runs(exporter, references=[reference], evaluators=[count_calls])
    assert (early.exit_code, early.verdicts, seen) == (2, [], [])
    provider.force_flush()
    late = evaluate_runs(exporter, references=[reference], evaluators=[count_calls])
    assert ([each.verdict for each in late.verdicts], late.exit_code, seen) == (["pass", "pass"], 0, [2])
    provider.shutdown()


def test_e21_spans_that_arrive_while_a_run_is_judged_are_read() -> None:
    """langchain-ai/langsmith-sdk#1440: with a time to wait, a batch that is exported later is part of the verdict."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=1_000))
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    build_chain("a", "b").invoke({}, {"callbacks": [handler]})
    report = evaluate_runs(exporter, references=[Reference(name="r", steps=[["a"], ["b"]])], wait=60)
    assert ([each.verdict for each in report.verdicts], report.exit_code) == (["pass"], 0)
    provider.shutdown()


def test_e22_an_evaluator_gets_the_run_and_not_its_output_alone(tmp_path: Path) -> None:
    """comet-ml/opik#3646: supersteps, times, status, calls and tokens of a recorded agent are there to be judged."""
    source = record(tmp_path, build_tool_agent(), ASK)

    def frugal(run: Run) -> dict[str, object]:
        spent = (run.usage["input_tokens"] or 0) + (run.usage["output_tokens"] or 0)
        is_quick = all(task.ended_ns - task.started_ns < 60 * 10**9 for task in run.tasks)
        visited = [name for names in run.steps for name in names]
        called = [call.name for call in run.tool_calls]
        metadata = {"spent": spent, "visited": visited, "called": sorted(called), "status": run.status}
        return {"score": is_quick and spent < 300, "metadata": metadata}

    report = evaluate_runs(source, evaluators=[frugal])
    [verdict] = report.verdicts
    assert (verdict.key, verdict.verdict, report.exit_code) == ("frugal", "pass", 0)
    assert verdict.metadata == {
        "spent": 276,
        "visited": ["__start__", "model", "tools", "model"],
        "called": ["get_local_time", "get_weather"],
        "status": "ok",
    }


def test_e23_judging_a_file_twice_prints_the_same_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Arize-ai/phoenix#14503: a nightly run over the same traces gives the same ids and reports, byte for byte."""
    source = record(
        tmp_path, build_seven_nodes(InMemorySaver()), *({"shortcut": bool(n), "nodes": []} for n in (0, 1))
    )
    long = "{name: long, steps: [node1, node3, [node4, node5], node6, node7]}"
    references = Path(write_references(tmp_path, long))
    before = references.read_bytes(), (tmp_path / "traces.jsonl").read_bytes()
    written: list[tuple[str, bytes, bytes]] = []
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        junit, markdown = (tmp_path / folder / name for name in ("report.xml", "report.md"))
        command = ["eval", source, "--references", str(references), "--format", "json"]
        reports = ["--report", f"junit={junit}", "--report", f"markdown={markdown}"]
        assert main(command + reports) == 1
        written.append((capsys.readouterr().out, junit.read_bytes(), markdown.read_bytes()))
    assert written[0] == written[1]
    assert [each["verdict"] for each in json.loads(written[0][0])["verdicts"]] == ["pass", "fail"]
    assert before == (references.read_bytes(), (tmp_path / "traces.jsonl").read_bytes())


def test_e27_one_run_of_three_is_taken_out_with_its_subgraph(tmp_path: Path) -> None:
    """Arize-ai/phoenix#6699: the second of three runs comes out as OTLP JSON, nested spans and all, and nothing else."""
    outer = new_chain("supervisor", "researcher", researcher=build_tool_agent()).compile(name="outer")
    source, *_ = (record(tmp_path, outer, ASK, thread=thread) for thread in ("one", "two", "three"))
    wanted = next(run for run in read_runs(source) if run.thread_id == "two")
    out = tmp_path / "taken.jsonl"
    assert main(["export", source, "--as", "otlp", "--run", wanted.run_id, "--out", str(out)]) == 0
    [taken] = read_runs(out)
    assert outline([taken]) == outline([wanted])
    assert (taken.verified, [child.steps for child in taken.children]) == (
        True,
        [[["__start__"], ["model"], ["tools"], ["model"]]],
    )
    reference = "{name: r, steps: [supervisor, researcher]}"
    assert judge(str(out), reference, options=("--require-manifest",))[0] == 0
    case = tmp_path / "case.json"
    assert main(["export", source, "--run", wanted.run_id, "--out", str(case)]) == 0
    assert json.loads(case.read_text("utf-8"))["expected"]["steps"] == ["supervisor", "researcher"]


def test_e28_a_good_trace_becomes_a_reference_that_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """langfuse/langfuse#1592, #1863: what `learn` writes judges, in canonical order, and links back to its trace."""
    source = record(tmp_path, build_seven_nodes(), {"shortcut": False, "nodes": []})
    [run] = read_runs(source)
    out = tmp_path / "learned.yaml"
    assert main(["learn", source, "--name", "good", "--out", str(out)]) == 0
    [reference] = load_references(out)
    assert (reference.name, reference.applies_to.graph) == ("good", "seven")
    supersteps = [list(names) for names in reference.steps or ()]
    assert supersteps == [["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]]
    assert reference.source == run.trace_ids
    assert main(["eval", source, "--references", str(out), "--require-all"]) == 0
    other = record(tmp_path, build_seven_nodes(), {"shortcut": True, "nodes": []})
    assert main(["eval", other, "--references", str(out), "--require-all"]) == 1
    capsys.readouterr()


@pytest.mark.parametrize("name", ["invoke_node b", "invoke_workflow chat"])
def test_e30_a_span_without_an_end_is_open_and_no_negative_time(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """promptfoo/promptfoo#4745: an end of 0, or none, makes the run incomplete: not judged, and no time below 0."""
    spans = [
        replace(span, end_ns=0) if span.name == name else span for span in record_turn("r", "a", "b", "c")
    ]
    source = write_lines(tmp_path / "zero.jsonl", spans)
    absent = tmp_path / "absent.jsonl"
    absent.write_text(source.read_text("utf-8").replace('"endTimeUnixNano": "0", ', ""), encoding="utf-8")
    assert absent.stat().st_size < source.stat().st_size
    code = "root_open" if "workflow" in name else "task_open"
    for path in (source, absent):
        [run] = read_runs(path)
        assert run.steps == [["__start__"], ["a"], ["b"], ["c"]]
        assert (run.complete, code in [problem.code for problem in run.problems]) == (False, True)
        assert judge(str(path), "{name: r, steps: [a, b, c]}")[0] == 2
        assert judge(str(path), "{name: r, steps: [a]}")[0] == 2
        assert main(["show", str(path)]) == 0
        assert "-" not in "".join(word for word in capsys.readouterr().out.split() if word.endswith("ms"))
