"""`otel-traj doctor`: is everything there, and do several sources agree about the same runs?

Problems of a source are part of its answer, so they stand on stdout here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.cli.parser import SOURCE_HELP, add_command
from otel_traj.cli.reports import add_link
from otel_traj.cli.selection import add_selection, list_selection
from otel_traj.cli.speech import complain, hint_at_references, open_named
from otel_traj.errors import SourceError
from otel_traj.evaluate import diagnose
from otel_traj.report import format_diagnosis, format_diagnosis_json, measure_width

if TYPE_CHECKING:
    import argparse

    from otel_traj.cli.parser import Commands
    from otel_traj.sources import Source

__all__ = ["add_doctor"]

_EXAMPLE = "otel-traj doctor otel-traj-demo/traces.jsonl"
_EXIT_CODES = (
    "exit code: 0 every run is complete and all sources agree, 1 something is missing\n"
    "or differs, 2 a source can't be read or holds no run that was asked for"
)


def add_doctor(commands: Commands) -> None:
    """Add the command.

    Args:
        commands: The commands of the program.
    """
    does = "say whether all that was recorded is there, and compare sources"
    usage = "SOURCE [SOURCE]... [OPTION]..."
    command = add_command(commands, "doctor", does, usage=usage, example=_EXAMPLE)
    command.set_defaults(command=_doctor)
    command.description = f"{command.description}\n\n{_EXIT_CODES}"
    command.add_argument("sources", metavar="SOURCE", nargs="+", help=SOURCE_HELP)
    command.add_argument("--format", choices=("text", "json"), default="text", help="(%(default)s)")
    command.add_argument(
        "--require-manifest",
        action="store_true",
        help="exit code 1 also for runs that are complete but not proved to be",
    )
    add_link(command)
    add_selection(command)


def _doctor(arguments: argparse.Namespace) -> int:
    sources = [_open(name, arguments) for name in arguments.sources]
    diagnosis = diagnose(
        *sources,
        require_manifest=arguments.require_manifest,
        wait=arguments.wait,
        **list_selection(arguments),
    )
    if arguments.format == "json":
        print(format_diagnosis_json(diagnosis, link=arguments.link))
        for reason in diagnosis.exit_reasons:
            complain(reason)
    else:
        print(format_diagnosis(diagnosis, width=measure_width(), link=arguments.link))
    for source in diagnosis.sources:
        if not source.runs:
            hint_at_references(source.source)
    return diagnosis.exit_code


def _open(name: str, arguments: argparse.Namespace) -> Source | str:
    """Return the source, or its name where it can't be opened: `diagnose` says why, and goes on with the others."""
    try:
        return open_named(name, arguments)
    except SourceError:
        return name
