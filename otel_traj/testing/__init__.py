"""Runs of a test, recorded in memory and judged in it; pytest's fixture `run_recorder` is a `RunRecorder`.

Needs no pytest: any test framework can make a recorder and close it.
"""

from __future__ import annotations

from otel_traj.testing.repeated_runs import Attempt, RepeatedRuns, Variant
from otel_traj.testing.run_recorder import RunRecorder

__all__ = ["Attempt", "RepeatedRuns", "RunRecorder", "Variant"]
