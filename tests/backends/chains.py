"""Runs of three nodes, recorded one after another, in whose middle something may happen to a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_traj import RunEnd, TrajectoryCallbackHandler
from otel_traj.evaluate import AppliesTo, Reference
from tests.record.graphs import State, build_chain, mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from langchain_core.runnables import RunnableConfig
    from opentelemetry.sdk.trace.export import SpanExporter

    from otel_traj import ReferenceStep, Run
    from otel_traj.evaluate import Report

__all__ = ["Chains", "list_missing", "list_verdicts", "name_runs", "refer"]


class Chains:
    """Records runs of `first`, `middle`, `last`, each span sent when it ends."""

    def __init__(self, exporter: SpanExporter) -> None:
        """Send by this exporter."""
        self.provider = TracerProvider(shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(exporter))
        self.ends: list[RunEnd] = []
        self.cases: list[str] = []
        self.handler = TrajectoryCallbackHandler(
            tracer_provider=self.provider, on_run_end=self.ends.append, metadata_keys=("case",)
        )

    def run(self, case: str, middle: Callable[[], object] = lambda: None) -> None:
        """Record one run; something happens while its second node runs."""

        def happen(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
            middle()
            return {"nodes": ["middle"]}

        graph = build_chain("first", "middle", "last", first=mark("first"), middle=happen)
        self.cases.append(case)
        config: RunnableConfig = {"callbacks": [self.handler], "metadata": {"case": case}}
        graph.invoke({}, config)


def refer(*cases: str) -> list[Reference]:
    """Return a reference for each case, which its run meets once it is whole."""
    steps: list[ReferenceStep | list[str]] = [["first"], ["middle"], ["last"]]
    return [Reference(name=case, applies_to=AppliesTo(case=case), steps=steps) for case in cases]


def name_runs(chains: Chains, runs: Iterable[Run]) -> dict[str, Run]:
    """Return runs that were read by the case they were recorded as; the case itself may be lost."""
    cases = {end.run_id: case for case, end in zip(chains.cases, chains.ends, strict=True)}
    return {cases[run.run_id]: run for run in runs}


def list_missing(runs: Mapping[str, Run]) -> dict[str, set[str]]:
    """Return the problem codes of the runs that are incomplete."""
    return {case: {each.code for each in run.problems} for case, run in runs.items() if not run.complete}


def list_verdicts(report: Report) -> list[str]:
    """Return the words, by the start of the runs."""
    return [verdict.verdict for verdict in report.verdicts]
