"""A run as the JSON object that programs read.

ASCII only: a name with control or bidirectional characters stays data in a terminal and a log too, and a lone
surrogate (possible in JSON that was itself escaped) can be written at all.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from otel_traj.report.verdicts.headline import cost_runs
from otel_traj.report.verdicts.report_json import write_cost

if TYPE_CHECKING:
    from otel_traj.model import Run
    from otel_traj.report.prices import Prices
    from otel_traj.report.trace_link import TraceLink

__all__ = ["format_run_json"]


def format_run_json(run: Run, *, link: TraceLink | None = None, prices: Prices | None = None) -> str:
    """Return one run as a JSON object on one line.

    Args:
        run: The run.
        link: Makes its links.
        prices: What its model calls cost.

    Returns:
        The keys `run_id, graph, thread_id, trace_ids, status, complete, verified, problems, steps, started_ns,
        ended_ns, usage, children`, in this order; `children` holds the subgraph runs in the same form. With a link
        the run also has `links`, with prices `cost`, as a report's verdicts have.
    """
    plain = _to_plain(run)
    if link is not None:
        plain["links"] = link.link_run(run)
    if prices is not None:
        plain["cost"] = write_cost(cost_runs([run], prices))
    return json.dumps(plain)


def _to_plain(run: Run) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "graph": run.graph,
        "thread_id": run.thread_id,
        "trace_ids": list(run.trace_ids),
        "status": run.status,
        "complete": run.complete,
        "verified": run.verified,
        "problems": [
            {"code": problem.code, "message": problem.message, "span_ids": list(problem.span_ids)}
            for problem in run.problems
        ],
        "steps": run.steps,
        "started_ns": run.started_ns,
        "ended_ns": run.ended_ns,
        "usage": dict(run.usage),
        "children": [_to_plain(child) for child in run.children],
    }
