"""A report as JUnit XML."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from otel_traj import Report, SourceProblem, Verdict, evaluate_runs
from otel_traj.evaluate.references.reference import AppliesTo, Reference
from otel_traj.report import Prices, TraceLink, format_junit
from otel_traj.report.prices import ModelPrice
from tests.report.golden import compare_with_gold
from tests.report.verdicts.judged import HOSTILE, build_hostile_report, build_report, record
from tests.report.verdicts.junit_schema import check_junit

if TYPE_CHECKING:
    from otel_traj.evaluate.judging.verdict import ExitCode

_PRICES = Prices(
    currency="EUR",
    models=(("scripted-*", ModelPrice(input=Decimal(2), output=Decimal(8), cache_read=Decimal("0.5"))),),
)


def _parse(report: Report) -> ET.Element:
    root = ET.fromstring(format_junit(report).encode())  # noqa: S314 - what we wrote
    check_junit(root)
    return root


def test_the_layout_is_the_agreed_one() -> None:
    """Suites are graphs, cases are verdicts with their ids, links, tokens and cost as properties."""
    link = TraceLink("https://jaeger.example/trace/{trace_id}")
    text = format_junit(build_report(), link=link, prices=_PRICES)
    compare_with_gold("report.junit.xml", text)
    check_junit(ET.fromstring(text.encode()))  # noqa: S314 - what we wrote


def test_each_verdict_has_its_outcome() -> None:
    """A fail is a failure, what could not be told an error, what no reference applies to is skipped."""
    cases = {
        case.get("name"): [child.tag for child in case if child.tag != "properties"]
        for case in _parse(build_report()).iter("testcase")
    }
    assert cases == {
        "long path (case long)": ["failure"],
        "long path (case long) #2": ["error"],
        "long path (case long) #3": [],
        "long path (case long) #4": ["failure"],
        "answers": [],
        "no reference": ["skipped"],
        "never met": ["skipped"],
    }


@pytest.mark.parametrize(
    ("code", "outcome"), [(1, "failure"), (2, "error")], ids=["a missed demand", "could not tell"]
)
def test_no_exit_code_looks_green(code: ExitCode, outcome: str) -> None:
    """An exit code that no verdict shows (an empty source, unreadable lines, a demand) is a case of its own."""
    spans = record("run", ["a"])
    passed = evaluate_runs(spans, references=[Reference(name="r", steps=[["a"]])])
    for report in (passed, replace(passed, verdicts=[])):
        root = _parse(replace(report, exit_code=code, exit_reasons=["the source holds no run", "why\x1b"]))
        [case] = [case for case in root.iter("testcase") if case.get("name") == "exit code"]
        [found] = case
        assert found.tag == outcome
        assert found.get("message") == f"exit code {code}: the source holds no run; why\\x1b"


def test_a_shown_exit_code_is_not_repeated() -> None:
    """Where a verdict already shows it there is no further case, and a pass has none."""
    for report in (build_report(), replace(build_report(), exit_code=0, exit_reasons=[])):
        assert not [case for case in _parse(report).iter("testcase") if case.get("name") == "exit code"]


def test_a_skipped_run_does_not_hide_that_nothing_was_judged() -> None:
    """Where every run is without a reference the exit code stands as an error beside the skipped cases."""
    reference = Reference(name="r", steps=[["a"]], applies_to=AppliesTo(graph="x"))
    report = evaluate_runs(record("run", ["a"]), references=[reference])
    assert report.exit_code == 2
    assert _parse(report).get("errors") == "1"


def test_problems_of_the_source_are_told() -> None:
    """What could not be read stands in system-err."""
    problem = SourceProblem(code="unreadable_line", message="not JSON\x00", source="traces.jsonl", line=3)
    root = _parse(replace(build_report(), source_problems=[problem]))
    assert root.findtext("testsuite/system-err") == "traces.jsonl:3: not JSON\\x00"


def test_a_thread_and_a_score_are_told() -> None:
    """A verdict on a thread has all run ids, its time is that of its runs, and an evaluator's number is a property."""
    one, two = build_report().verdicts[:2]
    verdict = Verdict(
        run_id=None,
        run_ids=(one.run_id or "", two.run_id or ""),
        thread_id="t",
        reference=None,
        verdict="pass",
        score=0.25,
        comment=None,
        metadata=None,
        key="politeness",
        runs=(*one.runs, *two.runs),
    )
    [case] = _parse(replace(build_report(), verdicts=[verdict])).find("testsuite") or []
    assert case.get("name") == "[politeness] (case long)"
    assert float(case.get("time", "")) == pytest.approx(2.0, abs=0.1)
    values = [(each.get("name"), each.get("value")) for each in case.iter("property")]
    assert [value for name, value in values if name == "run_id"] == list(verdict.run_ids or ())
    assert ("score", "0.25") in values


def test_two_calls_give_the_same_bytes() -> None:
    """Nothing of the moment of writing is in it."""
    assert format_junit(build_report()) == format_junit(build_report())


def test_hostile_names_are_values() -> None:
    """Names come back as values of attributes, what XML can't hold escaped, a flood cut."""
    root = _parse(build_hostile_report())
    names = [value.get("value", "") for value in root.iter("property") if value.get("name") == "reference"]
    assert set(names) >= {name for name in HOSTILE if name.isprintable() and len(name) < 2_000}
    assert max(map(len, names)) < 2_100
    assert {element.tag for element in root.iter()} <= {
        "testsuites",
        "testsuite",
        "testcase",
        "properties",
        "property",
        "failure",
        "error",
        "skipped",
        "system-err",
    }
