"""Runs taken out of a source: as cases to edit, as examples of a LangSmith data set, or as their own spans.

A case holds the input of a run and the expectation that the run itself would meet, as a reference file has it; of a
run that did not end well, or failed its reference, the expectation is to be edited before anybody judges by it, and
the case says so. Spans are
those of the runs' traces without what belongs to other runs in them, the user's own spans among them.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from otel_traj import semconv as sc
from otel_traj.errors import TrajectoryValueError
from otel_traj.evaluate.judging.judge_subject import judge_subject
from otel_traj.evaluate.judging.prepared_references import prepare_references
from otel_traj.evaluate.judging.subject import Subject
from otel_traj.evaluate.learning.own_spans import choose_spans
from otel_traj.evaluate.references.form import form_reference
from otel_traj.evaluate.references.reference import AppliesTo, Reference
from otel_traj.match.values_in_words import show_value
from otel_traj.reconstruct.read import read_candidates
from otel_traj.reconstruct.selection import make_selection
from otel_traj.rendering import clean_text, render
from otel_traj.sources import KeptSource, encode_lines, open_source

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from otel_traj.evaluate.judging.prepared_references import PreparedReferences
    from otel_traj.model import Run
    from otel_traj.sources import OnProblem

__all__ = ["ExportForm", "export_runs"]

ExportForm: TypeAlias = Literal["cases", "langsmith", "otlp"]

_EXAMPLES: Final = uuid.uuid5(uuid.NAMESPACE_URL, "otel_traj.example")


def export_runs(
    source: object,
    *,
    form: ExportForm = "cases",
    references: str | os.PathLike[str] | Iterable[Reference] | None = None,
    on_problem: OnProblem | None = None,
    wait: float | None = None,
    **selection: Any,  # noqa: ANN401 - the keywords of `read_runs` that select, which it checks
) -> Iterator[str]:
    """Yield the selected runs of a source as lines of JSON, by start.

    Args:
        source: Whatever `read_runs` takes.
        form: `cases`: a case per run, `{"case", "graph", "inputs", "expected", "review", "run"}`, where `expected` is
            an entry of a reference file that the run meets, and `review` says why it is to be edited, or is null;
            `langsmith`: an example per run, as `Client.create_examples` takes it; `otlp`: OTLP JSON, many spans to
            a line.
        references: What the runs are judged by, as for `evaluate_runs`: why a run failed then stands in its `review`.
        on_problem: As in `read_runs`.
        wait: As in `read_runs`.
        **selection: Which runs: the keywords of `read_runs` that select.

    Returns:
        Lines without newlines, in ASCII; none where no run was selected.

    Raises:
        InvalidReferenceError: The references are not valid.
        SourceError: The source can't be opened.
        TrajectoryTypeError: Something is of a type that can't be used.
        TrajectoryValueError: A keyword's value is not allowed.
    """
    if form not in get_args(ExportForm):
        allowed = ", ".join(get_args(ExportForm))
        raise TrajectoryValueError(f"form is {show_value(form)}, which no run has; allowed: {allowed}")
    known = None if references is None else prepare_references(references)
    wanted = make_selection(**selection)
    if form == "otlp":
        kept = KeptSource(open_source(source))
        runs = list(read_candidates(kept, wanted, on_problem=on_problem, wait=wait))
        return encode_lines(choose_spans(kept.spans, runs, [run for run in runs if wanted.takes(run)]))
    make = _make_case if form == "cases" else _make_example
    chosen = filter(wanted.takes, read_candidates(source, wanted, on_problem=on_problem, wait=wait))
    return (json.dumps(render(make(run, _say_what_to_review(run, known)))) for run in chosen)


def _make_case(run: Run, review: str | None) -> dict[str, Any]:
    return {
        "case": run.case,
        "graph": run.graph,
        "inputs": run.inputs,
        "expected": _expect(run),
        "review": review,
        "run": _identify(run),
    }


def _make_example(run: Run, review: str | None) -> dict[str, Any]:
    inputs = (
        run.inputs if isinstance(run.inputs, dict) else {} if run.inputs is None else {"input": run.inputs}
    )
    outputs = {"steps": _list_supersteps(run)} | ({} if run.results is None else {"results": run.results})
    metadata = {"case": run.case, "graph": run.graph, "review": review} | _identify(run)
    return {
        "id": str(uuid.uuid5(_EXAMPLES, clean_text(run.run_id))),
        "inputs": inputs,
        "outputs": outputs,
        "metadata": metadata,
    }


def _identify(run: Run) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "thread_id": run.thread_id,
        "trace_ids": list(run.trace_ids),
        "status": run.status,
        "complete": run.complete,
    }


def _expect(run: Run) -> dict[str, Any]:
    return form_reference(
        Reference(
            name=run.case or run.run_id,
            applies_to=AppliesTo(graph=run.graph, case=run.case),
            steps=_list_supersteps(run),
            source=run.trace_ids,
        )
    )


def _list_supersteps(run: Run) -> list[list[str]]:
    return [list(names) for names in run.steps if names != [sc.START_NODE]]


def _say_what_to_review(run: Run, known: PreparedReferences | None) -> str | None:
    reasons = []
    if not run.complete:
        codes = ", ".join(dict.fromkeys(problem.code for problem in run.problems))
        reasons.append(f"the run is incomplete ({codes}): supersteps may be missing")
    elif run.status != "ok":
        reasons.append(f"the run ended as {run.status}: write what it should have done")
    if not _list_supersteps(run):
        reasons.append("the run ran no node, which no reference expects: write what it should have done")
    verdicts = [] if known is None else judge_subject(Subject(runs=(run,)), known)[0]
    reasons += [
        f"it failed {verdict.reference}: {verdict.comment}"
        for verdict in verdicts
        if verdict.verdict == "fail"
    ]
    if run.inputs is None:
        reasons.append("the input was not recorded: write it")
    return "; ".join(reasons) or None
