"""The JSON that programs read: what `eval` and `show` print is what the schemas in docs/ say, and nothing else."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest

from otel_traj import evaluate_runs
from otel_traj.cli import main
from otel_traj.match.explain.result import HintKind, MatchMetadata, MatchOp, NotEvaluatedReason, OpKind
from otel_traj.match.modes import StepMode, TrajectoryMode
from otel_traj.model import RunStatus, Usage
from tests.cli.situations import SITUATIONS, write_situations
from tests.evaluate.judging.threads import record_turn
from tests.missing_api import needs
from tests.otlp_lines import write_lines

if TYPE_CHECKING:
    from otel_traj import Run

pytestmark = needs("JSON schemas")

_DOCS = Path(__file__).parent.parent.parent / "docs"


def _load(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((_DOCS / f"{name}.schema.json").read_text("utf-8"))
    return schema


def _complain(document: object, name: str) -> list[str]:
    """Return what of a document is otherwise than its schema says."""
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(_load(name))
    return [
        f"{error.json_path}: {error.message}"
        for error in Draft202012Validator(_load(name)).iter_errors(document)
    ]


@pytest.mark.parametrize("pair", list(combinations(SITUATIONS, 2))[::7], ids=" and ".join)
def test_eval_prints_what_its_schema_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pair: tuple[str, str]
) -> None:
    """Whatever is the matter with the runs, references or source, the report has its documented form."""
    main(["eval", *write_situations(tmp_path, [SITUATIONS[name] for name in pair]), "--format", "json"])
    assert _complain(json.loads(capsys.readouterr().out), "eval-report") == []


def test_everything_that_can_be_said_is_in_the_schema(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A report of all situations at once, and one of evaluators, hold nothing that the schema does not know."""
    main(["eval", *write_situations(tmp_path, SITUATIONS.values()), "--format", "json"])
    assert _complain(json.loads(capsys.readouterr().out), "eval-report") == []

    def raise_error(_run: Run) -> bool:
        raise KeyError("x")

    evaluators: list[Any] = [
        lambda _run: True,
        lambda _run: False,
        lambda _run: 0.5,
        lambda _run: None,
        raise_error,
    ]
    report = evaluate_runs(record_turn("r", "ask"), evaluators=evaluators)
    assert _complain(json.loads(report.to_json()), "eval-report") == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"score": True}, "False was expected"),
        ({"run_id": None}, "'run_ids' is a required property"),
        ({"run_ids": ["x"]}, "should not be valid"),
        ({"metadata": {"verdict": "fail"}}, "'ops' is a required property"),
        ({"more": 1}, "Additional properties are not allowed"),
        ({"comment": None}, "None is not of type 'string'"),
    ],
)
def test_the_schema_refuses_what_is_never_printed(change: dict[str, object], words: str) -> None:
    """A verdict that contradicts itself, or lacks or has a key too many, is none."""
    from otel_traj.evaluate import Reference

    report = evaluate_runs(record_turn("r", "ask"), references=[Reference(name="x", steps=[["y"]])])
    document = json.loads(report.to_json())
    assert _complain(document, "eval-report") == []
    document["verdicts"][0] |= change
    assert words in " ".join(_complain(document, "eval-report"))


def test_show_prints_what_its_schema_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Runs in every condition, with subgraphs and without, have their documented form; no runs are an empty list."""
    from tests.spans import RecordedRun

    outer = RecordedRun("outer", graph="outer")
    inner = RecordedRun("inner", graph="inner", parent=outer, parent_task=outer.task("call", 1))
    inner.task("x", 1)
    spans = [span for each in SITUATIONS.values() for span in each.spans] + outer.spans(below=[inner])
    source = write_lines(tmp_path / "traces.jsonl", spans)
    assert main(["show", str(source), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert _complain(document, "runs") == []
    assert any(run["children"] for run in document)
    assert any(run["problems"] for run in document)
    assert main(["show", str(source), "--format", "json", "--graph", "none"]) == 2
    assert json.loads(capsys.readouterr().out) == []
    document[0]["children"] = [{**document[0], "status": "fine", "children": []}]
    assert "'fine' is not one of" in " ".join(_complain(document, "runs"))


def test_links_and_costs_are_in_the_schemas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What options put beside a run or a verdict is documented too."""
    arguments = write_situations(tmp_path, [SITUATIONS["a pass"], SITUATIONS["a thread that fails"]])
    link = ["--link", "https://jaeger.example/trace/{trace_id}", "--format", "json"]
    main(["eval", *arguments, *link])
    report = json.loads(capsys.readouterr().out)
    assert all(verdict["links"] for verdict in report["verdicts"])
    assert _complain(report, "eval-report") == []
    main(["show", arguments[0], *link])
    runs = json.loads(capsys.readouterr().out)
    assert all(run["links"] for run in runs)
    assert _complain(runs, "runs") == []


def test_the_schemas_know_every_word_of_the_types() -> None:
    """A word that is added to a type of ours is added to the schema that lists it."""
    defs = _load("eval-report")["$defs"]
    metadata = defs["match_metadata"]["properties"]
    assert set(metadata) == {*MatchMetadata.__annotations__, "references"} - {"tolerated"}
    assert set(defs["op"]["properties"]) == set(MatchOp.__annotations__)
    assert defs["op"]["properties"]["op"]["enum"] == list(get_args(OpKind))
    assert metadata["hints"]["items"]["enum"] == list(get_args(HintKind))
    assert metadata["reason"]["enum"] == list(get_args(NotEvaluatedReason))
    assert metadata["step_mode"]["enum"] == [*get_args(StepMode), None]
    assert metadata["trajectory_mode"]["enum"] == [*get_args(TrajectoryMode), None]
    run = _load("runs")["$defs"]["run"]["properties"]
    assert run["status"]["enum"] == list(get_args(RunStatus))
    assert list(run["usage"]["properties"]) == list(Usage.__annotations__)
