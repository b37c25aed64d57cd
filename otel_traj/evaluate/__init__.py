"""References, the choice among them, and verdicts over many runs."""

from __future__ import annotations

from otel_traj.evaluate.absent_graphs import explain_absent_graphs
from otel_traj.evaluate.advice import ADVICE, SOURCE_ADVICE
from otel_traj.evaluate.diagnosis import Diagnosis
from otel_traj.evaluate.doctor import diagnose
from otel_traj.evaluate.export import ExportForm, export_runs
from otel_traj.evaluate.judge import evaluate_runs
from otel_traj.evaluate.learn import Learned, learn_references
from otel_traj.evaluate.reference import AppliesTo, ExpectedResults, ExpectedThread, Reference
from otel_traj.evaluate.reference_file import load_references
from otel_traj.evaluate.reference_json_schema import load_reference_schema
from otel_traj.evaluate.reference_writer import write_references
from otel_traj.evaluate.verdict import Report, Summary, Verdict

__all__ = [
    "ADVICE",
    "SOURCE_ADVICE",
    "AppliesTo",
    "Diagnosis",
    "ExpectedResults",
    "ExpectedThread",
    "ExportForm",
    "Learned",
    "Reference",
    "Report",
    "Summary",
    "Verdict",
    "diagnose",
    "evaluate_runs",
    "explain_absent_graphs",
    "export_runs",
    "learn_references",
    "load_reference_schema",
    "load_references",
    "write_references",
]
