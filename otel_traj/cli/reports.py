"""`--report`, `--link` and `--prices`: reports as files, and what stands beside each run."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from otel_traj.cli.speech import COULD_NOT_TELL, complain
from otel_traj.errors import OtelTrajError, SinkError
from otel_traj.report import (
    Prices,
    TraceLink,
    load_prices,
    read_report_option,
    write_report,
)
from otel_traj.sources import is_same_file, refuse_to_overwrite

if TYPE_CHECKING:
    from collections.abc import Callable

    from otel_traj.evaluate import Report
    from otel_traj.sources import Source

__all__ = ["add_beside", "add_reports", "check_reports", "read_prices", "write_reports"]

_Read = TypeVar("_Read")


def add_beside(command: argparse.ArgumentParser) -> None:
    """Add the options for what stands beside each run.

    Args:
        command: The parser of a command that shows or judges runs.
    """
    beside = command.add_argument_group("what stands beside each run")
    beside.add_argument(
        "--link",
        metavar="URL",
        type=partial(_read, TraceLink),
        help="a link, such as https://jaeger.example/trace/{trace_id}; also {span_id}, {run_id}, {thread_id}",
    )
    beside.add_argument(
        "--prices",
        metavar="FILE",
        help="cost, by a file with the prices of models per million tokens, YAML or JSON",
    )


def add_reports(command: argparse.ArgumentParser) -> None:
    """Add the option for reports as files.

    Args:
        command: The parser of a command that judges.
    """
    command.add_argument(
        "--report",
        metavar="FORMAT=PATH",
        action="append",
        type=partial(_read, read_report_option),
        default=[],
        help="also write a report: text, json, junit or markdown; may be given several times",
    )


def read_prices(arguments: argparse.Namespace) -> Prices | None:
    """Return the prices, where they were asked for.

    Args:
        arguments: What was parsed.

    Raises:
        InvalidReferenceError: Something in the file is not understood.
        TrajectoryValueError: It can't be read.
    """
    return None if arguments.prices is None else load_prices(arguments.prices)


def check_reports(arguments: argparse.Namespace, source: Source) -> None:
    """Refuse a report that would be written over what is read, or over another one.

    Args:
        arguments: What was parsed.
        source: What is to be read.

    Raises:
        SinkError: One would be written over the source, the references, the prices or another report.
    """
    inputs = [path for path in (arguments.references, arguments.prices) if path is not None]
    for number, report in enumerate(arguments.report):
        refuse_to_overwrite(report.path, source)
        others = [*inputs, *(other.path for other in arguments.report[:number])]
        if any(is_same_file(report.path, other) for other in others):
            words = f"the {report.form} report would be written over {report.path!r}, which this command also"
            raise SinkError(f"{words} reads or writes; name another file", path=report.path)


def write_reports(report: Report, arguments: argparse.Namespace, prices: Prices | None) -> int:
    """Write the reports that were asked for, each whatever becomes of the others.

    Args:
        report: The verdicts.
        arguments: What was parsed.
        prices: What model calls cost.

    Returns:
        The exit code: that of the report, or 2 where that is 0 and some file could not be written.
    """
    failed = False
    for file in arguments.report:
        try:
            write_report(report, file, link=arguments.link, prices=prices)
        except SinkError as error:
            complain(str(error))
            failed = True
    return report.exit_code or (COULD_NOT_TELL if failed else 0)


def _read(make: Callable[[str], _Read], text: str) -> _Read:
    try:
        return make(text)
    except OtelTrajError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
