"""`--emit` of commands that judge: verdicts sent to where telemetry goes, as log events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.cli.speech import complain

if TYPE_CHECKING:
    import argparse

    from otel_traj.evaluate import Report

__all__ = ["add_emission", "emit"]


def add_emission(command: argparse.ArgumentParser) -> None:
    """Add the option.

    Args:
        command: The parser of a command that judges.
    """
    command.add_argument(
        "--emit",
        choices=("otlp",),
        help="send each verdict as a log event of its run, where OTEL_EXPORTER_OTLP_ENDPOINT says",
    )


def emit(report: Report, arguments: argparse.Namespace) -> None:
    """Send the verdicts of a report where that was asked for, and say what became of them.

    Args:
        report: The verdicts.
        arguments: What was parsed.
    """
    if arguments.emit is None or not report.verdicts:
        return
    from otel_traj.evaluate.events.emission import emit_verdicts

    emission = emit_verdicts(report)
    total = len(report.verdicts)
    noun = "verdict" if total == 1 else "verdicts"
    if emission.failure is None:
        complain(f"{total:,} {noun} sent as log events")
    else:
        complain(f"{emission.sent:,} of {total:,} {noun} sent as log events: {emission.failure}")
