"""References, the choice among them, and verdicts over many runs."""

from __future__ import annotations

from otel_traj.evaluate.absent_graphs import explain_absent_graphs
from otel_traj.evaluate.doctor.advice import ADVICE, SOURCE_ADVICE
from otel_traj.evaluate.doctor.diagnosis import Diagnosis
from otel_traj.evaluate.doctor.doctor import diagnose
from otel_traj.evaluate.judging.judge import evaluate_runs
from otel_traj.evaluate.judging.verdict import Report, Summary, Verdict
from otel_traj.evaluate.learning.export import ExportForm, export_runs
from otel_traj.evaluate.learning.learn import Learned, learn_references
from otel_traj.evaluate.references.file import load_references
from otel_traj.evaluate.references.json_schema import load_reference_schema
from otel_traj.evaluate.references.reference import AppliesTo, ExpectedResults, ExpectedThread, Reference
from otel_traj.evaluate.references.writer import write_references

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
