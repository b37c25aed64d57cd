"""`otel-traj export`: runs taken out of a source, as cases, as LangSmith examples or as their own spans."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from otel_traj.cli.output import OUT_HELP, put_output, refuse_output
from otel_traj.cli.parser import SOURCE_HELP, add_command
from otel_traj.cli.selection import add_selection, list_selection
from otel_traj.cli.speech import COULD_NOT_TELL, complain, open_named, print_problem
from otel_traj.errors import SinkError
from otel_traj.evaluate.learning.export import ExportForm, export_runs
from otel_traj.sources import is_same_file

if TYPE_CHECKING:
    import argparse

    from otel_traj.cli.parser import Commands

__all__ = ["add_export"]

_EXAMPLE = "otel-traj export otel-traj-demo/traces.jsonl --graph seven --out cases.jsonl"


def add_export(commands: Commands) -> None:
    """Add the command.

    Args:
        commands: The commands of the program.
    """
    does = "write runs of a source into a file"
    command = add_command(commands, "export", does, usage="SOURCE --out FILE [OPTION]...", example=_EXAMPLE)
    command.set_defaults(command=_export)
    command.description = (
        f"{command.description}\n\n"
        "cases      a line per run: its input, and the reference that it would meet, to edit\n"
        "langsmith  a line per run, as Client.create_examples takes it\n"
        "otlp       the spans of the runs, as OTLP JSON lines\n\n"
        "exit code: 0 written, 2 the source holds no run that was asked for"
    )
    command.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    command.add_argument("--out", metavar="FILE", required=True, help=OUT_HELP)
    command.add_argument(
        "--as", dest="form", choices=get_args(ExportForm), default="cases", help="(%(default)s)"
    )
    command.add_argument(
        "--references", metavar="FILE", help="judge the runs by these, and say in each case why it failed"
    )
    add_selection(command)


def _export(arguments: argparse.Namespace) -> int:
    source = open_named(arguments.source, arguments)
    refuse_output(arguments.out, source)
    _refuse_references(arguments)
    lines = list(
        export_runs(
            source,
            form=arguments.form,
            references=arguments.references,
            on_problem=print_problem,
            wait=arguments.wait,
            **list_selection(arguments),
        )
    )
    if not lines:
        complain(
            f"no run that was asked for was found in {source.name!r}, and {arguments.out!r} is not written"
        )
        return COULD_NOT_TELL
    count = f"{len(lines):,} {'line' if len(lines) == 1 else 'lines'}"
    put_output(arguments.out, "".join(f"{line}\n" for line in lines), count, what="the export")
    return 0


def _refuse_references(arguments: argparse.Namespace) -> None:
    """Refuse to write over the references that the runs are judged by.

    Raises:
        SinkError: They lie there.
    """
    if arguments.references is not None and is_same_file(arguments.out, arguments.references):
        words = f"the export would be written over the references in {arguments.out!r}"
        raise SinkError(f"{words}; name another file", path=arguments.out)
