"""The recorded corpora of other emitters, and what tests do with their spans."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from otel_traj import read_runs
from otel_traj.sources import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from otel_traj import Run
    from otel_traj.model import AttributeValue, SourceProblem, Span, Task

__all__ = [
    "CORPORA",
    "EMITTERS",
    "SCENARIOS",
    "change_each",
    "list_recorded_steps",
    "list_tasks",
    "load_spans",
    "load_truth",
    "name_corpus",
    "read_quietly",
    "refuse",
    "rename_tasks",
    "tell_again",
]

CORPORA = Path(__file__).parent / "corpora"
EMITTERS = (
    "langfuse-5.0.4",
    "langsmith-0.15.1",
    "mlflow-3.17.2",
    "openinference-0.1.80",
    "openllmetry-0.62.4",
)
"""Those that write node tasks."""
SCENARIOS = tuple(sorted(path.stem for path in (CORPORA / EMITTERS[0]).glob("*.jsonl")))


def name_corpus(emitter: str, scenario: str) -> Path:
    """Return the file of a scenario that an emitter wrote."""
    return CORPORA / emitter / f"{scenario}.jsonl"


@cache
def load_spans(emitter: str, scenario: str) -> tuple[Span, ...]:
    """Return the spans of a scenario, in the order of the file."""
    return tuple(open_source(name_corpus(emitter, scenario)).read_spans(refuse))


def refuse(problem: SourceProblem) -> None:
    """A corpus has no problem."""
    raise AssertionError(problem)


def load_truth(emitter: str, scenario: str) -> list[list[list[str]]]:
    """Return the supersteps of each invocation of a scenario."""
    path = name_corpus(emitter, scenario).with_suffix(".truth.json")
    return list(json.loads(path.read_text("utf-8")))


def list_recorded_steps(runs: Iterable[Run]) -> list[list[list[str]]]:
    """Return the supersteps of each invocation of runs, in start order, as a truth lists them."""
    calls = [call for run in runs for call in run.invocations]
    return [
        [sorted(names) for names in call.steps] for call in sorted(calls, key=lambda call: call.started_ns)
    ]


def read_quietly(spans: Iterable[Span]) -> list[Run]:
    """Return the runs of spans that may be none at all."""
    return list(read_runs(list(spans), on_problem=lambda _: None))


def change_each(
    spans: Iterable[Span], change: Callable[[dict[str, AttributeValue]], dict[str, AttributeValue]]
) -> list[Span]:
    """Return spans with their attributes changed."""
    return [msgspec.structs.replace(span, attributes=change(span.attributes)) for span in spans]


def list_tasks(runs: Iterable[Run]) -> list[Task]:
    """Return the tasks of runs and of those below them, in a fixed order."""
    return [task for run in runs for task in (*run.tasks, *list_tasks(run.children))]


def rename_tasks(spans: Iterable[Span], ids: Mapping[str, str]) -> list[Span]:
    """Return spans with other task ids, wherever these stand in an attribute."""
    pattern = re.compile("|".join(map(re.escape, ids)))

    def rename(value: AttributeValue) -> AttributeValue:
        return pattern.sub(lambda found: ids[found[0]], value) if isinstance(value, str) else value

    return change_each(spans, lambda attributes: {key: rename(value) for key, value in attributes.items()})


def tell_again(emitter: str, scenario: str, first: str, *, in_its_traces: bool = False) -> list[Span]:
    """Return a scenario as an emitter tells it, with the task ids, times and service of another emitter's run.

    Of two instrumentations in one process these are the same: LangGraph gives the ids, and both see each callback at
    the same time. Their traces are the same where both share a tracer provider and a span around the run.
    """
    spans, others = load_spans(emitter, scenario), load_spans(first, scenario)
    runs, truths = read_quietly(spans), read_quietly(others)
    # otel-genai has no task to rename.
    ids = {
        task.task_id: other.task_id for task, other in zip(list_tasks(runs), list_tasks(truths), strict=False)
    }
    calls, true_calls = ([call for run in each for call in run.invocations] for each in (runs, truths))
    like = {call.trace_id: (call, true) for call, true in zip(calls, true_calls, strict=True)}
    told = []
    for span in rename_tasks(spans, ids) if ids else spans:
        call, true = like.get(span.trace_id, (calls[0], true_calls[0]))
        shift = true.started_ns - call.started_ns
        told.append(
            msgspec.structs.replace(
                span,
                trace_id=true.trace_id if in_its_traces else span.trace_id,
                start_ns=span.start_ns + shift,
                end_ns=span.end_ns + shift,
                resource=others[0].resource,
            )
        )
    return told
