"""`otel-traj show`: the runs of a source, as a tree, as lines or as JSON."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from otel_traj.cli.parser import SOURCE_HELP, add_command, read_number
from otel_traj.cli.reports import add_beside, read_prices
from otel_traj.cli.selection import add_selection, list_selection
from otel_traj.cli.speech import (
    COULD_NOT_TELL,
    complain,
    hint_at_references,
    open_named,
    print_problem,
    print_runs,
)
from otel_traj.evaluate import explain_absent_graphs
from otel_traj.reconstruct.read import read_candidates
from otel_traj.reconstruct.selection import make_selection

if TYPE_CHECKING:
    import argparse

    from otel_traj.cli.parser import Commands

__all__ = ["add_show"]

_EXAMPLE = "otel-traj show otel-traj-demo/traces.jsonl --graph seven --format steps"


def add_show(commands: Commands) -> None:
    """Add the command.

    Args:
        commands: The commands of the program.
    """
    does = "show the runs of a source"
    command = add_command(commands, "show", does, usage="SOURCE [OPTION]...", example=_EXAMPLE)
    command.set_defaults(command=_show)
    command.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    command.add_argument(
        "--last", metavar="N", type=partial(read_number, least=1), help="only the N runs that started last"
    )
    command.add_argument("--format", choices=("tree", "steps", "json"), default="tree", help="(%(default)s)")
    add_beside(command)
    add_selection(command)


def _show(arguments: argparse.Namespace) -> int:
    selection = make_selection(**list_selection(arguments))
    prices = read_prices(arguments)
    source = open_named(arguments.source, arguments)
    there = list(read_candidates(source, selection, on_problem=print_problem, wait=arguments.wait))
    chosen = [run for run in there if selection.takes(run)]
    if arguments.last is not None:
        chosen = chosen[-arguments.last :]
    print_runs(chosen, arguments.format, link=arguments.link, prices=prices)
    if chosen:
        return 0
    which = "no run meets the selection" if there else "no run was found"
    why = explain_absent_graphs(there, filter(None, [arguments.graph]))
    complain(f"{which} in {source.name!r}" + (f": {why}" if why else ""))
    hint_at_references(source.name)
    return COULD_NOT_TELL
