"""What traces and reference files bring along is data, in whatever form it is shown."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from otel_traj.report import format_junit, format_markdown, format_report, format_report_json
from tests.missing_api import needs
from tests.report.verdicts.judged import HOSTILE, build_hostile_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from otel_traj import Report


def _draw_coloured(report: Report, width: int) -> str:
    from rich.console import Console

    from otel_traj.report.verdicts.coloured import print_coloured

    file = io.StringIO()
    print_coloured(
        report, Console(file=file, width=width, force_terminal=True, color_system=None, _environ={})
    )
    return file.getvalue()


_FORMS: dict[str, Callable[[Report], str]] = {
    "text": format_report,
    "narrow text": lambda report: format_report(report, width=30),
    "coloured": lambda report: _draw_coloured(report, 120),
    "narrow coloured": lambda report: _draw_coloured(report, 40),
    "json": format_report_json,
    "junit": format_junit,
    "markdown": format_markdown,
}


@pytest.mark.parametrize(
    "form",
    [pytest.param(form, marks=needs("reports in colour")) if "coloured" in form else form for form in _FORMS],
)
def test_hostile_names_are_data(form: str) -> None:
    """No control or bidirectional character is left, no line is forged, no markup is obeyed, no name floods."""
    report = build_hostile_report()
    assert len(report.verdicts) == 2 * len(HOSTILE) + 1
    text = _FORMS[form](report)
    assert all(char.isprintable() for char in text.replace("\n", ""))
    # A reason of an evaluator's own may have lines, which stand indented.
    assert not any(
        line.startswith("FAIL b") for line in text.splitlines() if form not in ("junit", "markdown")
    )
    if form != "json":
        assert "x" * 2_100 not in text
    if "coloured" in form:
        assert "[bold red]:skull:[/]" in text
    text.encode("utf-8")
