"""Links and costs in JSON."""

from __future__ import annotations

import json
from decimal import Decimal

from otel_traj.report import Prices, TraceLink, format_report_json, format_run_json
from otel_traj.report.prices import ModelPrice
from tests.report import scenes
from tests.report.verdicts.judged import build_report

_LINK = TraceLink("https://jaeger.example/trace/{trace_id}")
_PRICES = Prices(
    currency="EUR",
    models=(("scripted-*", ModelPrice(input=Decimal(2), output=Decimal(8), cache_read=Decimal("0.5"))),),
)


def test_without_either_it_is_the_reports_own_form() -> None:
    """Nothing is added that was not asked for."""
    report = build_report()
    assert format_report_json(report) == report.to_json()


def test_links_and_costs_stand_beside_each_verdict() -> None:
    """Each verdict keeps its keys, then has its links and its cost; one verdict per line."""
    report = build_report()
    text = format_report_json(report, link=_LINK, prices=_PRICES)
    document, plain = json.loads(text), json.loads(report.to_json())
    for verdict, without, judged in zip(
        document["verdicts"], plain["verdicts"], report.verdicts, strict=True
    ):
        assert verdict.pop("links") == [f"https://jaeger.example/trace/{judged.runs[0].trace_ids[0]}"]
        cost = verdict.pop("cost")
        if verdict["reference"] == "answers":
            assert cost == {"amount": "0.001172", "currency": "EUR", "unknown": []}
        elif judged.runs[0].complete:
            assert cost is None
        else:
            assert cost == {"amount": None, "currency": "EUR", "unknown": ["the run is incomplete"]}
        assert verdict == without
    assert document == plain
    assert len(text.splitlines()) == len(report.verdicts) + 2


def test_a_run_has_them_too() -> None:
    """A run's own JSON has links and cost where they are asked for, its subgraph runs have none."""
    run = json.loads(format_run_json(scenes.build_subgraphs(), link=_LINK, prices=_PRICES))
    assert len(run["links"]) == 1
    assert run["cost"] is None
    assert set(run["children"][0]) == set(json.loads(format_run_json(scenes.build_seven())))
