"""Public files of others: none of them is taken for a run that can be judged."""

from __future__ import annotations

import hashlib
import json

import pytest

from otel_traj import Run, read_runs
from otel_traj.model import Span
from tests.reconstruct.dialects.corpora import CORPORA, read_quietly

SAMPLES = CORPORA / "public-samples"
OTHERS = [path.name for path in SAMPLES.glob("*.json") if not path.name.startswith("langgraph_")]


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_spans_of_other_frameworks_are_no_runs(name: str) -> None:
    """Traces without a LangGraph run give none, and break nothing."""
    assert list(read_runs(SAMPLES / name, on_problem=lambda _: None)) == []


def hash_id(text: str | None, digits: int) -> str:
    """Return hex digits for an id that is none."""
    return hashlib.sha256(text.encode()).hexdigest()[:digits] if text else ""


def load_curated() -> list[Span]:
    """Return the curated spans of a real run under openinference; ids become hex digits."""
    return [
        Span(
            trace_id=hash_id(item["trace_id"], 32),
            span_id=hash_id(item["span_id"], 16),
            parent_span_id=hash_id(item["parent_span_id"], 16),
            name=item["name"],
            start_ns=item["start_time"],
            end_ns=item["end_time"],
            attributes=item["attributes"],
            scope_name=item["scope"]["name"],
        )
        for item in json.loads((SAMPLES / "langgraph_openinference_spans.json").read_text("utf-8"))
    ]


def test_a_run_without_metadata_is_not_evaluated() -> None:
    """Spans whose metadata a curator has taken out show a LangGraph run, and that its nodes are not known."""
    [run] = read_quietly(load_curated())
    assert isinstance(run, Run)
    assert (run.graph, run.emitter, run.complete, run.steps) == ("LangGraph", "openinference", False, [])
    assert {problem.code for problem in run.problems} == {"no_node_tasks"}
    assert len(run.model_calls) == 2
