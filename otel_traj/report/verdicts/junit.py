"""A report as JUnit XML, which GitLab, Jenkins, Azure and GitHub's readers show beside the tests.

A suite per graph, a case per verdict. Its name holds the reference and the run's case, not its id, so that a reader
follows it from one commit to the next; ids are properties. A fail is a `failure`, what could not be told an `error`,
because these readers count `skipped` as green; only a run that no reference applies to, and a reference that no run
met, are `skipped`. Where the exit code is not 0 and no case shows it (an empty source, unreadable lines, a demand that
was missed), a case of its own does.

Elements and attributes are those of the Jenkins schema junit-10.xsd (xunit-plugin), and `properties` of a case, which
pytest writes and its readers know. There is no time of writing: the same runs give the same bytes.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from otel_traj.evaluate.judging.verdict import has_no_reference
from otel_traj.report.cost import format_cost
from otel_traj.report.escape import cut
from otel_traj.report.verdicts.difference import format_difference
from otel_traj.report.verdicts.headline import (
    add_usage,
    cost_runs,
    link_verdict,
    name_key,
)
from otel_traj.report.verdicts.verdicts import format_source_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otel_traj.evaluate import Report, Verdict
    from otel_traj.report.prices import Prices
    from otel_traj.report.trace_link import TraceLink

__all__ = ["format_junit"]

_SUITE: Final = "otel_traj"
_MAX_NAME: Final = 250


class _Case(Struct):
    """One test case as it will be written."""

    suite: str
    name: str
    outcome: str
    """failure, error, skipped, or empty for a pass."""
    type: str
    message: str = ""
    text: str = ""
    seconds: float = 0
    properties: list[tuple[str, str]] = []


def format_junit(report: Report, *, link: TraceLink | None = None, prices: Prices | None = None) -> str:
    """Return a report as JUnit XML, without a newline at the end.

    Args:
        report: What `evaluate_runs` returned.
        link: Makes the links of each run, which become properties.
        prices: What model calls cost, likewise.

    Returns:
        A whole document, to be written as UTF-8; what XML can't hold, and what can't be printed, is escaped.
    """
    cases = [_make_case(verdict, link, prices) for verdict in report.verdicts]
    cases += [_make_unmet(name) for name in report.summary["unmet_references"]]
    cases += _find_hidden_exit(report, cases)
    _number_twins(cases)
    root = ET.Element("testsuites", _count(cases) | {"name": "otel-traj eval"})
    for suite in dict.fromkeys(case.suite for case in cases):
        _add_suite(root, suite, [case for case in cases if case.suite == suite])
    problems = "\n".join(map(format_source_problem, report.source_problems))
    if problems and len(root):
        ET.SubElement(root[0], "system-err").text = problems
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}'


def _make_case(verdict: Verdict, link: TraceLink | None, prices: Prices | None) -> _Case:
    graph = next((run.graph for run in verdict.runs if run.graph is not None), None)
    cases = list(dict.fromkeys(run.case for run in verdict.runs if run.case is not None))
    judge = verdict.reference or ", ".join(verdict.candidates)
    key = name_key(verdict)
    judge = f"{judge} [{key}]" if key else judge or "no reference"
    comment = verdict.comment or ""
    outcome = {"pass": "", "fail": "failure", "not_evaluated": "error"}[verdict.verdict]
    return _Case(
        suite=cut("unknown graph" if graph is None else graph, _MAX_NAME),
        name=cut(f"{judge} (case {', '.join(cases)})" if cases else judge, _MAX_NAME).strip(),
        outcome="skipped" if outcome == "error" and has_no_reference(verdict) else outcome,
        message=cut(comment.partition("\n")[0]),
        text="\n".join([*map(cut, comment.split("\n")), *_add_difference(verdict)]),
        type=cut(verdict.key),
        seconds=sum(max(run.ended_ns - run.started_ns, 0) for run in verdict.runs if run.ended_ns) / 1e9,
        properties=list(_list_properties(verdict, link, prices)),
    )


def _add_difference(verdict: Verdict) -> list[str]:
    lines = format_difference(verdict)
    return ["", "expected (-) and actual (+) supersteps:", *lines] if lines else []


def _list_properties(
    verdict: Verdict, link: TraceLink | None, prices: Prices | None
) -> Iterator[tuple[str, str]]:
    yield "key", verdict.key
    yield "verdict", verdict.verdict
    if verdict.reference is not None:
        yield "reference", verdict.reference
    for run_id in [verdict.run_id] if verdict.run_ids is None else verdict.run_ids:
        if run_id is not None:
            yield "run_id", run_id
    if verdict.thread_id is not None:
        yield "thread_id", verdict.thread_id
    for trace_id in dict.fromkeys(trace_id for run in verdict.runs for trace_id in run.trace_ids):
        yield "trace_id", trace_id
    yield from (("link", url) for url in link_verdict(verdict, link))
    if verdict.score is not None and not isinstance(verdict.score, bool):
        yield "score", repr(verdict.score)
    for kind, tokens in add_usage(verdict.runs).items():
        if tokens is not None:
            yield kind, str(tokens)
    cost = cost_runs(verdict.runs, prices)
    if cost is not None:
        yield "cost", format_cost(cost)


def _make_unmet(name: str) -> _Case:
    message = "no run met this reference"
    return _Case(
        suite=_SUITE, name=cut(name, _MAX_NAME), outcome="skipped", message=message, type="unmet_reference"
    )


def _find_hidden_exit(report: Report, cases: Iterable[_Case]) -> list[_Case]:
    """Return a case for an exit code that no other case shows."""
    outcomes = {case.outcome for case in cases}
    wanted = {0: "", 1: "failure", 2: "error"}[report.exit_code]
    if not wanted or wanted in outcomes:
        return []
    reasons = [cut(reason) for reason in report.exit_reasons]
    return [
        _Case(
            suite=_SUITE,
            name="exit code",
            outcome=wanted,
            message=cut(f"exit code {report.exit_code}: {'; '.join(reasons)}"),
            text="\n".join(reasons),
            type="exit_code",
        )
    ]


def _number_twins(cases: Iterable[_Case]) -> None:
    """Make names differ: readers take two cases of one name for one."""
    seen: Counter[tuple[str, str]] = Counter()
    for case in cases:
        name = case.name
        while seen[case.suite, case.name]:
            seen[case.suite, name] += 1
            case.name = f"{name} #{seen[case.suite, name]}"
        seen[case.suite, case.name] = 1


def _count(cases: list[_Case]) -> dict[str, str]:
    outcomes = Counter(case.outcome for case in cases)
    return {
        "tests": str(len(cases)),
        "failures": str(outcomes["failure"]),
        "errors": str(outcomes["error"]),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }


def _add_suite(root: ET.Element, name: str, cases: list[_Case]) -> None:
    skipped = sum(case.outcome == "skipped" for case in cases)
    suite = ET.SubElement(root, "testsuite", {"name": name} | _count(cases) | {"skipped": str(skipped)})
    for case in cases:
        attributes = {"classname": name, "name": case.name, "time": f"{case.seconds:.3f}"}
        element = ET.SubElement(suite, "testcase", attributes)
        if case.properties:
            properties = ET.SubElement(element, "properties")
            for key, value in case.properties:
                ET.SubElement(properties, "property", {"name": key, "value": cut(value)})
        if case.outcome:
            found = ET.SubElement(element, case.outcome, {"message": case.message, "type": case.type})
            found.text = case.text or None
