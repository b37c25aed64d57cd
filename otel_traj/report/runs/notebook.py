"""What a notebook shows of a run and of a report: the tree and the text that the command line prints.

IPython is told how, for the types by their names, so that nothing is loaded before something is shown. What was
recorded is text there too: it is escaped, so that a node's name can't be markup or script.
"""

from __future__ import annotations

import html
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from otel_traj.evaluate import Report
    from otel_traj.model import Run

__all__ = ["format_report_html", "format_run_html", "introduce_to_notebook"]

_WIDTH = 120


def introduce_to_notebook() -> None:
    """Tell the notebook that this process runs in, if it does, how to show runs and reports."""
    ipython = sys.modules.get("IPython")
    shell: Any = None if ipython is None else getattr(ipython, "get_ipython", lambda: None)()
    formatters = getattr(getattr(shell, "display_formatter", None), "formatters", {})
    formatter = formatters.get("text/html")
    if formatter is not None:
        shown: dict[tuple[str, str], Callable[[Any], str]] = {
            ("otel_traj.model", "Run"): format_run_html,
            ("otel_traj.evaluate.judging.verdict", "Report"): format_report_html,
        }
        for (module, name), show in shown.items():
            formatter.for_type_by_name(module, name, show)


def format_run_html(run: Run) -> str:
    """Return a run as HTML: its execution tree.

    Args:
        run: The run.
    """
    from otel_traj.report.runs.tree import format_tree

    return _preformat(format_tree(run, width=_WIDTH))


def format_report_html(report: Report) -> str:
    """Return a report as HTML: its text.

    Args:
        report: What `evaluate_runs` returned.
    """
    from otel_traj.report.verdicts.verdicts import format_report

    return _preformat(format_report(report, width=_WIDTH))


def _preformat(text: str) -> str:
    return f'<pre style="white-space: pre-wrap">{html.escape(text)}</pre>'
