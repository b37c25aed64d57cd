"""What every form of a report says of a verdict beside its reason: what was judged, by what, what it used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.evaluate.judging.verdict import DEFAULT_KEY, RESULTS_KEY
from otel_traj.report.cost import add_costs, cost_run, format_cost
from otel_traj.report.escape import shorten
from otel_traj.report.units import count, format_usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.evaluate import Verdict
    from otel_traj.model import Run, Usage
    from otel_traj.report.cost import Cost
    from otel_traj.report.prices import Prices
    from otel_traj.report.trace_link import TraceLink

__all__ = [
    "VERDICT_WORDS",
    "add_usage",
    "cost_runs",
    "format_headline",
    "link_verdict",
    "list_distinct_runs",
    "name_judge",
    "name_judged",
    "name_key",
    "sum_up",
]

VERDICT_WORDS: Final = {"pass": "pass", "fail": "FAIL", "not_evaluated": "not evaluated"}


def name_key(verdict: Verdict) -> str:
    """Return what was looked at, where that is not the trajectory: `results`, or an evaluator's key; else nothing."""
    return {DEFAULT_KEY: "", RESULTS_KEY: "results"}.get(verdict.key, verdict.key)


def name_judge(verdict: Verdict) -> str:
    """Return the reference and the key in brackets, escaped; empty where there is neither."""
    key = name_key(verdict)
    words = [] if verdict.reference is None else [shorten(verdict.reference)]
    return " ".join([*words, *([f"[{shorten(key)}]"] if key else [])])


def name_judged(verdict: Verdict) -> str:
    """Return the run, or the thread with the number of its runs, escaped."""
    graphs = list(dict.fromkeys(run.graph for run in verdict.runs)) or [None]
    graph = ", ".join("unknown graph" if each is None else shorten(each) for each in graphs)
    thread = "" if verdict.thread_id is None else f"thread {shorten(verdict.thread_id)}"
    if verdict.run_ids is not None:
        return f"{graph} {thread or 'thread'} ({count(len(verdict.run_ids), 'run')})"
    return ", ".join(filter(None, (f"{graph} {shorten(verdict.run_id or '')}", thread)))


def format_headline(verdict: Verdict, prices: Prices | None = None) -> str:
    """Return a verdict on one line, escaped and without its reason.

    Args:
        verdict: Any verdict.
        prices: What model calls cost; without them no tokens are named either.
    """
    judge = name_judge(verdict)
    head = f"{VERDICT_WORDS[verdict.verdict]}{' ' if judge else ''}{judge}: {name_judged(verdict)}"
    facts = [head]
    if verdict.score is not None and not isinstance(verdict.score, bool):
        facts.append(f"score {verdict.score:.6g}")
    if prices is not None:
        facts.append(sum_up(verdict.runs, prices))
    return ", ".join(filter(None, facts))


def sum_up(runs: Iterable[Run], prices: Prices | None) -> str:
    """Return tokens and cost of runs in words; empty where they called no model."""
    known = list(runs)
    cost = cost_runs(known, prices)
    return ", ".join(filter(None, (format_usage(add_usage(known)), format_cost(cost) if cost else "")))


def list_distinct_runs(verdicts: Iterable[Verdict]) -> list[Run]:
    """Return the judged runs, each once though several verdicts may be about it."""
    return list({id(run): run for verdict in verdicts for run in verdict.runs}.values())


def link_verdict(verdict: Verdict, link: TraceLink | None) -> list[str]:
    """Return the links of the runs of a verdict; none without a template."""
    return [] if link is None else [each for run in verdict.runs for each in link.link_run(run)]


def cost_runs(runs: Iterable[Run], prices: Prices | None) -> Cost | None:
    """Return what runs cost together; None without prices, and where none called a model."""
    if prices is None:
        return None
    return add_costs(cost for run in runs if (cost := cost_run(run, prices)) is not None)


def add_usage(runs: Iterable[Run]) -> Usage:
    """Return the tokens of runs together; None where no run says it."""
    known = [run.usage for run in runs]

    def add(counts: Iterable[int | None]) -> int | None:
        said = [each for each in counts if each is not None]
        return sum(said) if said else None

    return {
        "input_tokens": add(usage["input_tokens"] for usage in known),
        "output_tokens": add(usage["output_tokens"] for usage in known),
        "cache_read_input_tokens": add(usage["cache_read_input_tokens"] for usage in known),
        "cache_write_input_tokens": add(usage["cache_write_input_tokens"] for usage in known),
        "reasoning_output_tokens": add(usage["reasoning_output_tokens"] for usage in known),
    }
