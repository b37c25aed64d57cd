"""Sources in, a diagnosis out: what is missing, who differs, and the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest
from msgspec.structs import replace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import (
    JsonLinesSpanExporter,
    SourceError,
    TrajectoryCallbackHandler,
    TrajectoryTypeError,
    diagnose,
    read_runs,
)
from otel_traj.evaluate import ADVICE, SOURCE_ADVICE
from otel_traj.evaluate.doctor.run_diagnosis import diagnose_run
from otel_traj.model import Problem, ProblemCode, SourceProblemCode
from otel_traj.record.samples import build_seven_nodes
from otel_traj.sources import ALL_SPANS, Capabilities
from tests.otlp_lines import write_lines
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.evaluate import Diagnosis
    from otel_traj.model import Span
    from otel_traj.sources import OnProblem, SpanQuery

_DOCTOR_PAGE = Path(__file__).parents[3] / "docs" / "doctor.md"


def _record(name: str = "r", *, graph: str = "seven", start: int = 1_000) -> RecordedRun:
    run = RecordedRun(name, graph=graph, thread=f"thread-{name}", start=start)
    run.task("a", 1)
    run.call("chat", "m", run.task("b", 2))
    run.task("c", 2)
    run.task("d", 3)
    return run


def _lose(spans: list[Span], *names: str) -> list[Span]:
    return [span for span in spans if span.name not in names]


def _list_differences(diagnosis: Diagnosis) -> list[dict[str, list[object]]]:
    return [{each.name: each.values for each in run.differences} for run in diagnosis.comparison]


def test_all_there_is_0() -> None:
    """A whole run has nothing to be said about it, and one source is compared with nothing."""
    diagnosis = diagnose(_record().spans())
    (source,) = diagnosis.sources
    (found,) = source.runs
    assert (found.complete, found.verified, found.findings) == (True, True, [])
    assert all(call.is_met for call in found.calls)
    assert (diagnosis.exit_code, diagnosis.exit_reasons, diagnosis.comparison) == (0, [], [])


def test_a_lost_batch_names_what_is_missing() -> None:
    """Nodes with their superstep, expected and arrived numbers, the problem and its advice; the code is 1."""
    diagnosis = diagnose(_lose(_record().spans(), "invoke_node b", "chat m", "invoke_node d"))
    (found,) = diagnosis.sources[0].runs
    (call,) = found.calls
    assert [(lost.superstep, lost.nodes) for lost in call.missing] == [(2, ("b",)), (3, ("d",))]
    assert (call.arrival.tasks, call.arrival.expected_tasks) == (2, 4)
    assert (call.arrival.spans, call.arrival.expected_spans) == (2, 5)
    assert [finding.code for finding in found.findings] == ["manifest_mismatch"]
    assert found.findings[0].advice == ADVICE["manifest_mismatch"]
    assert diagnosis.exit_code == 1
    assert diagnosis.exit_reasons == ["1 run incomplete in '<list of spans>'"]


def test_a_subgraph_s_loss_is_its_caller_s() -> None:
    """A run whose subgraph run is incomplete is not complete, and the call that lacks something is named."""
    outer = RecordedRun("outer", graph="outer")
    inner = RecordedRun("inner", graph="inner", parent=outer, parent_task=outer.task("call", 1))
    inner.task("x", 1)
    inner.task("y", 2)
    diagnosis = diagnose(_lose(outer.spans(below=[inner]), "invoke_node y"))
    (found,) = diagnosis.sources[0].runs
    assert (found.run.complete, found.complete, diagnosis.exit_code) == (True, False, 1)
    unmet = [(call.graph, call.is_subgraph, call.missing[0].nodes) for call in found.calls if call.missing]
    assert unmet == [("inner", True, ("y",))]
    assert "manifest_mismatch" in {finding.code for finding in found.findings}


def test_what_is_not_proved_is_1_only_on_demand() -> None:
    """A lost model call leaves a run complete and not verified."""
    spans = _lose(_record().spans(), "chat m")
    assert diagnose(spans).exit_code == 0
    strict = diagnose(spans, require_manifest=True)
    assert strict.exit_code == 1
    assert strict.exit_reasons == ["1 run not verified in '<list of spans>' (require-manifest is set)"]


def test_a_run_without_its_root_is_selected_by_what_it_may_be() -> None:
    """Asked for a graph, the doctor does not overlook the run that lost the span which names it."""
    diagnosis = diagnose(_lose(_record().spans(), "invoke_workflow seven"), graph="seven")
    (found,) = diagnosis.sources[0].runs
    assert [finding.code for finding in found.findings] == ["root_missing"]
    assert diagnosis.exit_code == 1


def test_a_file_with_lost_spans_is_compared(tmp_path: Path) -> None:
    """What differs is told beside the sources; a run that is alike in both has no difference."""
    whole = write_lines(tmp_path / "whole.jsonl", [*_record("p").spans(), *_record("q", start=9_000).spans()])
    lossy = write_lines(
        tmp_path / "lossy.jsonl",
        [*_record("p").spans(), *_lose(_record("q", start=9_000).spans(), "invoke_node b", "chat m")],
    )
    diagnosis = diagnose(whole, lossy)
    assert [run.agrees for run in diagnosis.comparison] == [True, False]
    assert _list_differences(diagnosis)[1] == {
        "complete": [True, False],
        "problems": [[], ["manifest_mismatch"]],
        "steps": [[["__start__"], ["a"], ["b", "c"], ["d"]], [["__start__"], ["a"], ["c"], ["d"]]],
        "tasks": [4, 3],
        "spans": [6, 4],
        "model_calls": [1, 0],
    }
    assert diagnosis.exit_code == 1
    assert diagnosis.exit_reasons[-1] == "1 run not the same in every source"


def test_a_file_and_an_exporter_that_saw_the_same_agree(tmp_path: Path) -> None:
    """A real agent recorded to a file and to memory at once: the same runs, code 0."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    provider.add_span_processor(SimpleSpanProcessor(JsonLinesSpanExporter(tmp_path / "traces.jsonl")))
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    build_seven_nodes().invoke({"shortcut": False, "nodes": []}, config={"callbacks": [handler]})
    provider.shutdown()
    diagnosis = diagnose(tmp_path / "traces.jsonl", exporter)
    assert diagnosis.exit_code == 0, diagnosis.exit_reasons
    assert [run.agrees for run in diagnosis.comparison] == [True]


def test_a_run_that_one_source_lacks_is_named() -> None:
    """Runs stand by start, each with where it is; the code is 1 though all that is there is complete."""
    p, q, r = (
        _record(name, start=start).spans() for name, start in (("p", 1_000), ("q", 5_000), ("r", 9_000))
    )
    diagnosis = diagnose(r + p, q + p)
    assert [run.present for run in diagnosis.comparison] == [[True, True], [False, True], [True, False]]
    assert _list_differences(diagnosis) == [{}, {}, {}]
    assert (diagnosis.exit_code, diagnosis.exit_reasons) == (1, ["2 runs not in every source"])


def test_the_same_run_in_pieces_is_one_run() -> None:
    """A resumed run whose parts one source could not join is compared as the run that it is."""
    first = RecordedRun("first", thread="t", outcome="interrupted")
    key = first.task("ask", 1, interrupted=True)
    second = RecordedRun("second", thread="t", resumed=True, start=5_000, previous=first)
    second.task("ask", 1, id=key)
    whole = first.spans() + second.spans()
    (joined,) = read_runs(whole)
    assert len(joined.invocations) == 2
    diagnosis = diagnose(whole, second.spans(), first.spans())
    (run,) = diagnosis.comparison
    assert run.run_id == joined.run_id
    assert run.present == [True, True, True]
    assert {each.name for each in run.differences} >= {"complete", "steps", "spans"}


@pytest.mark.parametrize(
    ("changes", "code", "reason"),
    [
        ({}, 0, ""),
        ({"thread": "nobody"}, 2, "no run meets the selection in"),
        ({"graph": "other"}, 2, "no run is of the graph other; graphs there: seven"),
    ],
)
def test_a_selection_that_meets_none_is_2(changes: dict[str, str], code: int, reason: str) -> None:
    """As `show` has it."""
    diagnosis = diagnose(_record().spans(), **changes)  # type: ignore[arg-type]
    assert diagnosis.exit_code == code
    assert reason in "; ".join(diagnosis.exit_reasons)


def test_a_source_without_a_run_is_2_whatever_the_other_holds() -> None:
    """Nothing is known about it; what the other holds is told all the same."""
    diagnosis = diagnose(_record().spans(), [])
    assert diagnosis.exit_code == 2
    assert diagnosis.exit_reasons[0] == "no run was found in '<list of spans>'"
    assert [run.present for run in diagnosis.comparison] == [[True, False]]
    assert [problem.code for problem in diagnosis.sources[1].problems] == ["empty_source"]


def test_a_damaged_line_is_1(tmp_path: Path) -> None:
    """What could not be read may have held a run."""
    path = write_lines(tmp_path / "traces.jsonl", _record().spans(), "{nope")
    diagnosis = diagnose(path)
    assert diagnosis.exit_code == 1
    assert diagnosis.exit_reasons == [f"parts of {str(path)!r} could not be read"]


def test_what_can_t_be_read_is_raised(tmp_path: Path) -> None:
    """The only source that is not there, no source at all, and an object that is none, among others too."""
    with pytest.raises(SourceError, match="missing"):
        diagnose(tmp_path / "missing.jsonl")
    with pytest.raises(TrajectoryTypeError, match="there is no source"):
        diagnose()
    with pytest.raises(TrajectoryTypeError, match="no source of spans"):
        diagnose(_record().spans(), 5)


def test_one_source_of_several_that_can_t_be_read_leaves_the_others(tmp_path: Path) -> None:
    """It stands in its place with its error; nothing is said about its runs; the code is 2 though the others agree."""
    missing = str(tmp_path / "missing.jsonl")
    diagnosis = diagnose(_record().spans(), missing, _record().spans())
    one, two, three = diagnosis.sources
    assert (one.error, three.error, len(one.runs), len(three.runs)) == (None, None, 1, 1)
    assert (two.source, two.runs, two.problems) == (missing, [], [])
    assert two.error is not None
    assert "No such file or directory" in two.error
    (run,) = diagnosis.comparison
    assert (run.present, run.agrees, run.differences) == ([True, None, True], True, [])
    assert (diagnosis.exit_code, diagnosis.exit_reasons) == (2, [f"{missing!r} could not be read"])


class _Breaking:
    """A place of a user's own that breaks off after its first run."""

    name = "a place that breaks"
    capabilities = Capabilities()

    def read_spans(self, _on_problem: OnProblem, _query: SpanQuery = ALL_SPANS) -> Iterator[Span]:
        """Give a whole run, then raise."""
        yield from _record().spans()
        raise SourceError("it broke", source=self.name)


def test_what_breaks_while_it_is_read_is_unreadable() -> None:
    """What came before is not shown as all there is; with one source left, nothing is compared."""
    diagnosis = diagnose(_Breaking(), _record().spans())
    assert [(source.error, len(source.runs)) for source in diagnosis.sources] == [("it broke", 0), (None, 1)]
    assert (diagnosis.comparison, diagnosis.exit_code) == ([], 2)


def test_nothing_that_can_be_read_names_them_all(tmp_path: Path) -> None:
    """Each of several has its error, though there is nothing else to tell."""
    names = [str(tmp_path / name) for name in ("one", "two")]
    diagnosis = diagnose(*names)
    assert [(source.source, bool(source.error)) for source in diagnosis.sources] == [(n, True) for n in names]
    assert diagnosis.exit_code == 2


@pytest.mark.parametrize("code", get_args(ProblemCode))
def test_every_code_of_a_run_has_advice(code: ProblemCode) -> None:
    """The finding of any problem carries what to do, and the page shows the same words."""
    (run,) = read_runs(_record().spans())
    found = diagnose_run(replace(run, problems=[Problem(code=code, message="m", span_ids=("s",))]))
    (finding,) = found.findings
    assert finding.advice == ADVICE[code]
    assert re.fullmatch(r"[A-Z][^|\n]*\.", finding.advice)
    assert f"| `{code}` | {ADVICE[code]} |\n" in _DOCTOR_PAGE.read_text("utf-8")


@pytest.mark.parametrize("code", get_args(SourceProblemCode))
def test_every_code_of_a_source_has_advice(code: SourceProblemCode) -> None:
    """Likewise."""
    assert f"| `{code}` | {SOURCE_ADVICE[code]} |\n" in _DOCTOR_PAGE.read_text("utf-8")
