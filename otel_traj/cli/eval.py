"""`otel-traj eval`: the runs of a source judged against references."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from otel_traj.cli.emission import add_emission, emit
from otel_traj.cli.parser import SOURCE_HELP, add_command, read_number
from otel_traj.cli.reports import add_beside, add_reports, check_reports, read_prices, write_reports
from otel_traj.cli.selection import add_selection, list_selection
from otel_traj.cli.speech import complain, hint_at_references, open_named, print_problem
from otel_traj.evaluate import evaluate_runs
from otel_traj.report import format_report_json, print_report

if TYPE_CHECKING:
    import argparse

    from otel_traj.cli.parser import Commands

__all__ = ["add_eval"]

_EXAMPLE = "otel-traj eval otel-traj-demo --references otel-traj-demo/references.yaml"
_EXIT_CODES = "exit code: 0 all that had to be judged passed, 1 a run failed, 2 could not tell"


def add_eval(commands: Commands) -> None:
    """Add the command.

    Args:
        commands: The commands of the program.
    """
    does = "judge the runs of a source against references"
    usage = "SOURCE --references FILE [OPTION]..."
    command = add_command(commands, "eval", does, usage=usage, example=_EXAMPLE)
    command.set_defaults(command=_eval)
    command.description = f"{command.description}\n\n{_EXIT_CODES}"
    command.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    command.add_argument("--references", metavar="FILE", required=True, help="references, YAML or JSON")
    command.add_argument("--format", choices=("text", "json"), default="text", help="(%(default)s)")
    add_reports(command)
    add_emission(command)
    _add_demands(command)
    add_beside(command)
    add_selection(command)


def _add_demands(command: argparse.ArgumentParser) -> None:
    demands = command.add_argument_group("what else must hold")
    demands.add_argument(
        "--require-all",
        action="store_true",
        help="fail on a run without a reference, or a reference without a run",
    )
    demands.add_argument(
        "--min-evaluated",
        metavar="N",
        type=partial(read_number, least=0),
        help="fail if fewer runs were judged",
    )
    demands.add_argument(
        "--allow-unreadable", action="store_true", help="accept that parts of the source can't be read"
    )
    demands.add_argument(
        "--require-manifest", action="store_true", help="judge only runs that are proved to be complete"
    )


def _eval(arguments: argparse.Namespace) -> int:
    source = open_named(arguments.source, arguments)
    check_reports(arguments, source)
    prices = read_prices(arguments)
    report = evaluate_runs(
        source,
        references=arguments.references,
        require_all=arguments.require_all,
        min_evaluated=arguments.min_evaluated,
        allow_unreadable=arguments.allow_unreadable,
        require_manifest=arguments.require_manifest,
        wait=arguments.wait,
        **list_selection(arguments),
    )
    for problem in report.source_problems:
        print_problem(problem)
    code = write_reports(report, arguments, prices)
    if arguments.format == "json":
        print(format_report_json(report, link=arguments.link, prices=prices))
        for reason in report.exit_reasons:
            complain(reason)
    else:
        print_report(report, link=arguments.link, prices=prices)
    if not report.verdicts:
        hint_at_references(source.name)
    emit(report, arguments)
    return code
