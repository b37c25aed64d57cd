"""What a diagnosis holds: of each source its runs, of each run its calls and what is wrong with them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from otel_traj.evaluate.judging.missing_nodes import MissingNodes
from otel_traj.model import Arrival, ProblemCode, Run, SourceProblem

__all__ = [
    "Aspect",
    "AspectName",
    "CallDiagnosis",
    "ComparedRun",
    "Diagnosis",
    "Finding",
    "RunDiagnosis",
    "SourceDiagnosis",
]

AspectName = Literal[
    "runs",
    "status",
    "complete",
    "problems",
    "steps",
    "tasks",
    "spans",
    "model_calls",
    "tool_calls",
    "subgraph_runs",
]
"""In what two sources can differ about a run; `runs` is how many pieces it is there in."""


class Finding(Struct, frozen=True, kw_only=True):
    """One problem of a run or of a subgraph run below it."""

    code: ProblemCode
    run_id: str
    """Of the run that has it."""
    message: str
    span_ids: tuple[str, ...]
    breaks: bool
    """It makes the run incomplete."""
    advice: str


class CallDiagnosis(Struct, frozen=True, kw_only=True):
    """One call of a graph: what of it arrived."""

    graph: str | None
    run_id: str
    trace_id: str
    is_subgraph: bool
    arrival: Arrival
    missing: list[MissingNodes]
    """By superstep; empty where nothing is missing, and where the manifest does not list names."""

    @property
    def is_met(self) -> bool:
        """Whether as much arrived as was counted; True where nothing was."""
        there = self.arrival
        pairs = (
            (there.expected_tasks, there.tasks),
            (there.expected_task_spans, there.task_spans),
            (there.expected_spans, there.spans),
        )
        return not self.missing and all(wanted is None or wanted <= found for wanted, found in pairs)


class RunDiagnosis(Struct, frozen=True, kw_only=True):
    """One run of a source."""

    run: Run
    complete: bool
    """The run and all subgraph runs below it are."""
    verified: bool
    """Likewise, and their manifests were there and met."""
    calls: list[CallDiagnosis]
    """Of the run in order, then of its subgraph runs."""
    findings: list[Finding]


class SourceDiagnosis(Struct, frozen=True, kw_only=True):
    """One source."""

    source: str
    runs: list[RunDiagnosis]
    """Those selected, by start."""
    problems: list[SourceProblem]
    """What of the source could not be used."""
    error: str | None = None
    """Why the source could not be read; nothing else is then known of it."""


class Aspect(Struct, frozen=True, kw_only=True):
    """One thing that differs."""

    name: AspectName
    values: list[object]
    """Beside the sources; None where the run is not there."""


class ComparedRun(Struct, frozen=True, kw_only=True):
    """One run in several sources."""

    run_id: str
    graph: str | None
    thread_id: str | None
    present: list[bool | None]
    """Beside the sources; None where the source could not be read."""
    differences: list[Aspect]
    """Among the sources that hold it."""

    @property
    def is_everywhere(self) -> bool:
        """Whether all sources that could be read hold it."""
        return False not in self.present

    @property
    def agrees(self) -> bool:
        """Likewise, and alike."""
        return self.is_everywhere and not self.differences


class Diagnosis(Struct, frozen=True, kw_only=True):
    """What `diagnose` found."""

    sources: list[SourceDiagnosis]
    """In the order given."""
    comparison: list[ComparedRun]
    """Every run of several sources, by start; empty where only one could be read."""
    exit_code: Literal[0, 1, 2]
    """0 all is there, 1 something is not, 2 could not tell."""
    exit_reasons: list[str]
    """Why the code is not 0."""
