"""What a notebook shows of runs and reports."""

from __future__ import annotations

import html
import subprocess
import sys
from typing import TYPE_CHECKING

from otel_traj import evaluate_runs
from otel_traj.evaluate import Reference
from otel_traj.report import format_tree
from otel_traj.report.runs.notebook import format_report_html, format_run_html
from tests.missing_api import needs
from tests.report import scenes
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_is_its_tree() -> None:
    """The same text as in a terminal."""
    run = scenes.build_seven()
    shown = format_run_html(run)
    assert html.unescape(shown).count("\n") == format_tree(run, width=120).count("\n")
    assert "superstep 3" in shown


def test_hostile_names_are_text() -> None:
    """A name that is markup or script is shown, not run."""
    run = RecordedRun("r", graph="<script>alert(1)</script>")
    run.task("<img src=x onerror=alert(1)>", 1)
    report = evaluate_runs(run.spans(), references=[Reference(name="</pre><b>", steps=[["a"]])])
    for shown in (format_report_html(report), format_run_html(report.verdicts[0].runs[0])):
        inner = shown.removeprefix('<pre style="white-space: pre-wrap">').removesuffix("</pre>")
        assert "<" not in inner


@needs("notebooks")
def test_a_notebook_shows_a_run_without_being_told(tmp_path: Path) -> None:
    """In IPython a run that a cell gives is shown as its tree; nothing has to be loaded for that."""
    traces = tmp_path / "traces.jsonl"
    from tests.otlp_lines import write_lines

    run = RecordedRun("r", graph="g")
    run.task("the node", 1)
    write_lines(traces, run.spans())
    program = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "from otel_traj import read_runs\n"
        f"(run,) = read_runs({str(traces)!r})\n"
        "print(shell.display_formatter.format(run)[0]['text/html'])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"IPYTHONDIR": str(tmp_path), "PATH": "", "PYTHONPATH": ":".join(filter(None, sys.path))},
    ).stdout
    assert "the node" in printed
    assert printed.startswith("<pre")
