"""A report as JSON: its own form, with links and costs beside each verdict where they are asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from otel_traj.report.verdicts.headline import cost_runs, link_verdict

if TYPE_CHECKING:
    from otel_traj.evaluate import Report
    from otel_traj.report.cost import Cost
    from otel_traj.report.prices import Prices
    from otel_traj.report.trace_link import TraceLink

__all__ = ["format_report_json", "write_cost"]


def format_report_json(report: Report, *, link: TraceLink | None = None, prices: Prices | None = None) -> str:
    """Return the JSON of a report, without a newline at the end.

    Args:
        report: What `evaluate_runs` returned.
        link: Makes the links of each run.
        prices: What model calls cost.

    Returns:
        What `report.to_json` returns; with a link each verdict also has `links`, a list, and with prices `cost`, as
        `write_cost` returns it or null where no model was called.
    """
    text = report.to_json()
    if link is None and prices is None:
        return text
    document: dict[str, Any] = json.loads(text)
    for plain, verdict in zip(document["verdicts"], report.verdicts, strict=True):
        if link is not None:
            plain["links"] = link_verdict(verdict, link)
        if prices is not None:
            plain["cost"] = write_cost(cost_runs(verdict.runs, prices))
    verdicts = ",\n".join(map(json.dumps, document.pop("verdicts")))
    body = f"[\n{verdicts}\n]" if verdicts else "[]"
    return f'{json.dumps(document)[:-1]}, "verdicts": {body}}}'


def write_cost(cost: Cost | None) -> dict[str, Any] | None:
    """Return a cost as plain data.

    Args:
        cost: Any cost, or none.

    Returns:
        `amount`, a decimal number as text, or None where nothing is known; `currency`; `unknown`, the reasons why
        there is more, empty where the amount is whole.
    """
    if cost is None:
        return None
    amount = None if cost.is_nothing_known else f"{cost.amount:f}"
    return {"amount": amount, "currency": cost.currency, "unknown": list(cost.unknown)}
