"""What people and programs read: runs, reports and diagnoses as text and JSON; later JUnit XML, Markdown and HTML."""

from __future__ import annotations

from otel_traj.report.branch import ASCII_GLYPHS, GLYPHS, Glyphs
from otel_traj.report.diagnosis import format_diagnosis
from otel_traj.report.diagnosis_json import format_diagnosis_json
from otel_traj.report.escape import escape
from otel_traj.report.run_json import format_run_json
from otel_traj.report.steps import format_steps
from otel_traj.report.terminal import (
    choose_glyphs,
    discard_output,
    escape_unencodable,
    fit_stderr,
    measure_width,
    name_program,
)
from otel_traj.report.tree import format_tree
from otel_traj.report.verdicts import format_report, format_source_problem

__all__ = [
    "ASCII_GLYPHS",
    "GLYPHS",
    "Glyphs",
    "choose_glyphs",
    "discard_output",
    "escape",
    "escape_unencodable",
    "fit_stderr",
    "format_diagnosis",
    "format_diagnosis_json",
    "format_report",
    "format_run_json",
    "format_source_problem",
    "format_steps",
    "format_tree",
    "measure_width",
    "name_program",
]
