"""A diagnosis as text and as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import replace

from otel_traj import diagnose, read_runs
from otel_traj.evaluate import ADVICE, Diagnosis
from otel_traj.evaluate.doctor.diagnosis import SourceDiagnosis
from otel_traj.evaluate.doctor.run_diagnosis import diagnose_run
from otel_traj.model import NAMED_ONLY, Problem, ProblemCode, SourceProblem
from otel_traj.report import format_diagnosis, format_diagnosis_json
from tests.spans import RecordedRun, make_uuid

_WIDE = 10_000


def _record(name: str = "r") -> RecordedRun:
    run = RecordedRun(name, graph="seven", thread="t")
    run.task("a", 1)
    run.task("b", 2)
    run.task("c", 2)
    return run


def test_a_lost_node_reads_so() -> None:
    """Source, run, what is missing, the problem, the advice, the code: top to bottom."""
    spans = [span for span in _record().spans() if span.name != "invoke_node b"]
    lines = format_diagnosis(diagnose(spans), width=_WIDE).split("\n")
    assert lines[:3] == [
        "<list of spans>: 1 run, 0 complete (0 verified), 1 incomplete",
        f"  INCOMPLETE: seven {make_uuid('r')}, thread t, ok: 2 of 3 tasks, 2 of 3 spans arrived",
        "    missing in superstep 2: b",
    ]
    assert lines[3].startswith("    problem manifest_mismatch: run ")
    assert lines[4:] == [
        "",
        "What to do:",
        "  manifest_mismatch (1 run): " + ADVICE["manifest_mismatch"].replace("`", ""),
        "",
        "exit code 1: 1 run incomplete in '<list of spans>'",
    ]


def test_what_is_whole_takes_two_lines() -> None:
    """No advice, no exit code."""
    assert format_diagnosis(diagnose(_record().spans()), width=_WIDE).split("\n") == [
        "<list of spans>: 1 run, 1 complete (1 verified), 0 incomplete",
        f"  complete, verified: seven {make_uuid('r')}, thread t, ok: 3 of 3 tasks, 3 of 3 spans arrived",
    ]


def test_a_comparison_reads_so() -> None:
    """Sources of one name are told apart by their number; what agrees is only counted."""
    lossy = [span for span in _record().spans() if span.name != "invoke_node b"]
    text = format_diagnosis(diagnose(_record().spans() + _record("q").spans(), lossy), width=_WIDE)
    section = text[text.index("Compared:") :].split("\n\n")[0].split("\n")
    one, two = "<list of spans> (source 1)", "<list of spans> (source 2)"
    assert section[0] == "Compared: 2 runs in 2 sources, 0 alike in all, 1 not in all, 1 different"
    assert set(section[1:]) == {
        f"  DIFFERENT: seven {make_uuid('r')}, thread t",
        f"    complete: yes in {one}; no in {two}",
        f"    problems: none in {one}; manifest_mismatch in {two}",
        f"    supersteps: 3, with {{b, c}} as superstep 2 in {one}; 3, with {{c}} as superstep 2 in {two}",
        f"    tasks: 3 in {one}; 2 in {two}",
        f"    spans: 4 in {one}; 3 in {two}",
        f"  NOT IN ALL: seven {make_uuid('q')}, thread t",
        f"    not in {two}",
    }


def test_a_trajectory_that_ends_early_has_no_more() -> None:
    """Where one is the beginning of the other, that is said."""
    short = RecordedRun("r", graph="seven", thread="t")
    short.task("a", 1)
    text = format_diagnosis(diagnose(_record().spans(), short.spans()), width=_WIDE)
    assert "supersteps: 3, with {b, c} as superstep 2 in" in text
    assert "; 2, with no more in" in text


@pytest.mark.parametrize("code", get_args(ProblemCode))
def test_every_code_has_a_line_with_advice(code: ProblemCode) -> None:
    """In the text and in the JSON."""
    (run,) = read_runs(_record().spans())
    found = diagnose_run(replace(run, problems=[Problem(code=code, message="m")]))
    source = SourceDiagnosis(source="s", runs=[found], problems=[])
    diagnosis = Diagnosis(sources=[source], comparison=[], exit_code=0, exit_reasons=[])
    lines = format_diagnosis(diagnosis, width=_WIDE).split("\n")
    assert f"    problem {code}: m" in lines
    assert f"  {code} (1 run): {ADVICE[code].replace('`', '')}" in lines
    (problem,) = json.loads(format_diagnosis_json(diagnosis))["sources"][0]["runs"][0]["problems"]
    assert (problem["code"], problem["advice"]) == (code, ADVICE[code])
    assert problem["breaks"] is (code not in NAMED_ONLY)


def test_a_partial_response_is_told_with_its_place() -> None:
    """Problems of a source stand under it, and their advice below."""
    problem = SourceProblem(code="partial_response", message="cut", source="jaeger", trace_ids=("ab",))
    source = SourceDiagnosis(source="jaeger", runs=[], problems=[problem])
    diagnosis = Diagnosis(sources=[source], comparison=[], exit_code=2, exit_reasons=["no run"])
    text = format_diagnosis(diagnosis, width=_WIDE)
    assert "  problem partial_response: jaeger: cut\n" in text
    assert "  partial_response (1 time): Read again later, or the trace by its id" in text
    (told,) = json.loads(format_diagnosis_json(diagnosis))["sources"][0]["problems"]
    assert told["trace_ids"] == ["ab"]
    assert told["advice"].startswith("Read again later, or the trace by its id")


def test_the_page_names_every_key_of_the_json() -> None:
    """What programs can rely on is written down."""
    spans = [span for span in _record().spans() if span.name != "invoke_node b"]
    told = json.loads(format_diagnosis_json(diagnose(_record().spans(), spans, [])))
    page = (Path(__file__).parents[3] / "docs" / "doctor.md").read_text("utf-8")
    section = page[page.index("## JSON") : page.index("## What to do")]
    assert [key for key in _list_keys(told) if not re.search(rf"[`\"]{key}[`\"]", section)] == []


def _list_keys(told: object) -> set[str]:
    if isinstance(told, dict):
        return set(told).union(*map(_list_keys, told.values()))
    return set().union(*map(_list_keys, told)) if isinstance(told, list) else set()


def test_a_source_that_can_t_be_read_says_why() -> None:
    """In its place, the reason below its name, whatever stands in it; it is no part of the comparison."""
    spans = _record().spans()
    broken = SourceDiagnosis(source="far", runs=[], problems=[], error="'far' is\x1b[31m away; go there")
    known = diagnose(spans, spans)
    diagnosis = replace(
        known,
        sources=[known.sources[0], broken, known.sources[1]],
        comparison=[replace(run, present=[True, None, True]) for run in known.comparison],
    )
    sections = format_diagnosis(diagnosis, width=_WIDE).split("\n\n")
    assert sections[1] == "far: UNREADABLE\n  'far' is\\x1b[31m away; go there"
    assert sections[3] == "Compared: 1 run in 2 sources, 1 alike in all, 0 not in all, 0 different"
    alone = replace(known, sources=[known.sources[0], broken], comparison=[])
    assert "Compared" not in format_diagnosis(alone, width=_WIDE)


def test_dropped_attributes_are_told() -> None:
    """Counted over the run."""
    spans = [replace(span, dropped_attributes=3) for span in _record().spans()]
    assert "    12 attributes dropped by the SDK at its limit\n" in format_diagnosis(diagnose(spans)) + "\n"


def test_the_json_has_this_shape() -> None:
    """The keys that programs rely on."""
    lossy = [span for span in _record().spans() if span.name != "invoke_node b"]
    text = format_diagnosis_json(diagnose(_record().spans(), lossy))
    assert text.isascii()
    told = json.loads(text)
    assert list(told) == ["sources", "comparison", "exit_code", "exit_reasons"]
    assert [list(source) for source in told["sources"]] == [["source", "error", "runs", "problems"]] * 2
    (run,) = told["sources"][1]["runs"]
    assert (run["run_id"], run["graph"], run["thread_id"], run["status"]) == (
        make_uuid("r"),
        "seven",
        "t",
        "ok",
    )
    assert (run["complete"], run["verified"]) == (False, False)
    (call,) = run["calls"]
    assert call["tasks"] == {"expected": 3, "arrived": 2}
    assert call["task_spans"] == call["spans"] == {"expected": 3, "arrived": 2}
    assert call["missing"] == [{"superstep": 2, "nodes": ["b"]}]
    assert call["subgraph"] is False
    (compared,) = told["comparison"]
    assert (compared["agrees"], compared["present"]) == (False, [True, True])
    assert {"name": "tasks", "values": [3, 2]} in compared["differences"]


def test_hostile_names_are_data() -> None:
    """Control and bidirectional characters reach no form of output, and a wide loss is shortened."""
    run = RecordedRun("evil", graph="\x1b[2J\u202egraph", thread="a\nb")
    for number in range(300):
        run.task(f"\x1b]0;owned{number}\x07\u2066" + "x" * 1_000, 1)
    run.task("z", 2)
    spans = [span for span in run.spans() if span.name.endswith(" z") or "workflow" in span.name]
    other = run.spans(workflow_name="\u2028g", graph="\u2028g")
    diagnosis = diagnose(other, spans)
    text, encoded = format_diagnosis(diagnosis), format_diagnosis_json(diagnosis)
    assert all(char.isprintable() for char in (text + encoded).replace("\n", ""))
    assert len(text) < 20_000


@pytest.mark.parametrize("width", [30, 80])
def test_lines_fit(width: int) -> None:
    """No line is wider than asked for, but for a word that is."""
    lossy = [span for span in _record().spans() if span.name != "invoke_node b"]
    lines = format_diagnosis(diagnose(_record().spans(), lossy), width=width).split("\n")
    assert all(len(line) <= max(width, 38) or " " not in line.strip() for line in lines)
