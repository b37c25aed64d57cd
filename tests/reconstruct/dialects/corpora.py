"""The recorded corpora of other emitters, and what tests do with their spans."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from otel_traj import read_runs
from otel_traj.sources import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from otel_traj import Run
    from otel_traj.model import AttributeValue, SourceProblem, Span

__all__ = [
    "CORPORA",
    "EMITTERS",
    "SCENARIOS",
    "change_each",
    "list_recorded_steps",
    "load_spans",
    "load_truth",
    "name_corpus",
    "read_quietly",
]

CORPORA = Path(__file__).parent / "corpora"
EMITTERS = ("langfuse-5.0.4", "langsmith-0.15.1", "mlflow-3.17.2", "openinference-0.1.80", "openllmetry-0.62.4")
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
