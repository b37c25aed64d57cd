"""What people and programs read: runs and diagnoses as text and JSON, reports also as JUnit XML and Markdown."""

from __future__ import annotations

from otel_traj.report.doctor.diagnosis import format_diagnosis
from otel_traj.report.doctor.diagnosis_json import format_diagnosis_json
from otel_traj.report.escape import escape
from otel_traj.report.prices import Prices, load_prices
from otel_traj.report.runs.branch import ASCII_GLYPHS, GLYPHS, Glyphs
from otel_traj.report.runs.run_json import format_run_json
from otel_traj.report.runs.steps import format_steps
from otel_traj.report.runs.tree import format_tree
from otel_traj.report.terminal import (
    choose_glyphs,
    discard_output,
    escape_unencodable,
    fit_stderr,
    measure_width,
    name_program,
)
from otel_traj.report.trace_link import TraceLink
from otel_traj.report.verdicts.files import ReportFile, read_report_option, write_report
from otel_traj.report.verdicts.junit import format_junit
from otel_traj.report.verdicts.markdown import format_markdown
from otel_traj.report.verdicts.printing import print_report
from otel_traj.report.verdicts.report_json import format_report_json
from otel_traj.report.verdicts.verdicts import format_report, format_source_problem
from otel_traj.report.whole_file import write_whole_file

__all__ = [
    "ASCII_GLYPHS",
    "GLYPHS",
    "Glyphs",
    "Prices",
    "ReportFile",
    "TraceLink",
    "choose_glyphs",
    "discard_output",
    "escape",
    "escape_unencodable",
    "fit_stderr",
    "format_diagnosis",
    "format_diagnosis_json",
    "format_junit",
    "format_markdown",
    "format_report",
    "format_report_json",
    "format_run_json",
    "format_source_problem",
    "format_steps",
    "format_tree",
    "load_prices",
    "measure_width",
    "name_program",
    "print_report",
    "read_report_option",
    "write_report",
    "write_whole_file",
]
