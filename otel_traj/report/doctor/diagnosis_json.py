"""A diagnosis as the JSON object that programs read; ASCII only, as a run's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from otel_traj.evaluate import SOURCE_ADVICE

if TYPE_CHECKING:
    from otel_traj.evaluate import Diagnosis
    from otel_traj.evaluate.doctor.diagnosis import (
        CallDiagnosis,
        ComparedRun,
        Finding,
        RunDiagnosis,
        SourceDiagnosis,
    )

__all__ = ["format_diagnosis_json"]


def format_diagnosis_json(diagnosis: Diagnosis) -> str:
    """Return a diagnosis as a JSON object on one line.

    Returns:
        The keys `sources, comparison, exit_code, exit_reasons`. What is counted is `{"expected": n or null,
        "arrived": n}`. `present` and `values` of the comparison stand beside `sources`, null where a source could not
        be read; why not is its `error`, else null.
    """
    return json.dumps(
        {
            "sources": [_describe_source(source) for source in diagnosis.sources],
            "comparison": [_describe_comparison(run) for run in diagnosis.comparison],
            "exit_code": diagnosis.exit_code,
            "exit_reasons": diagnosis.exit_reasons,
        }
    )


def _describe_source(source: SourceDiagnosis) -> dict[str, Any]:
    return {
        "source": source.source,
        "error": source.error,
        "runs": [_describe_run(run) for run in source.runs],
        "problems": [
            {
                "code": problem.code,
                "message": problem.message,
                "source": problem.source,
                "line": problem.line,
                "offset": problem.offset,
                "trace_ids": list(problem.trace_ids),
                "advice": SOURCE_ADVICE[problem.code],
            }
            for problem in source.problems
        ],
    }


def _describe_run(found: RunDiagnosis) -> dict[str, Any]:
    return {
        "run_id": found.run.run_id,
        "graph": found.run.graph,
        "thread_id": found.run.thread_id,
        "trace_ids": list(found.run.trace_ids),
        "status": found.run.status,
        "complete": found.complete,
        "verified": found.verified,
        "calls": [_describe_call(call) for call in found.calls],
        "problems": [_describe_finding(finding) for finding in found.findings],
    }


def _describe_call(call: CallDiagnosis) -> dict[str, Any]:
    there = call.arrival
    return {
        "graph": call.graph,
        "run_id": call.run_id,
        "trace_id": call.trace_id,
        "subgraph": call.is_subgraph,
        "tasks": {"expected": there.expected_tasks, "arrived": there.tasks},
        "task_spans": {"expected": there.expected_task_spans, "arrived": there.task_spans},
        "spans": {"expected": there.expected_spans, "arrived": there.spans},
        "dropped_attributes": there.dropped_attributes,
        "missing": [{"superstep": lost.superstep, "nodes": list(lost.nodes)} for lost in call.missing],
    }


def _describe_finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "run_id": finding.run_id,
        "message": finding.message,
        "span_ids": list(finding.span_ids),
        "breaks": finding.breaks,
        "advice": finding.advice,
    }


def _describe_comparison(run: ComparedRun) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "graph": run.graph,
        "thread_id": run.thread_id,
        "agrees": run.agrees,
        "present": run.present,
        "differences": [{"name": aspect.name, "values": aspect.values} for aspect in run.differences],
    }
