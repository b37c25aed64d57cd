"""The options of every command that reads runs: which of them, and how long to wait for what arrives late."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from otel_traj.model import RunStatus

__all__ = ["add_selection", "list_selection"]


def add_selection(command: argparse.ArgumentParser) -> None:
    """Add the options that choose runs, and how long late ones are waited for.

    Args:
        command: The parser of a command that reads a source.
    """
    selection = command.add_argument_group(
        "which runs (all of them unless given; all that is given must hold)"
    )
    selection.add_argument("--trace", metavar="ID", help="with a part in this trace")
    selection.add_argument("--run", metavar="ID", help="with this run id")
    selection.add_argument("--thread", metavar="ID", help="of this thread")
    selection.add_argument("--graph", metavar="NAME", help="of this graph")
    selection.add_argument("--service", metavar="NAME", help="of this service.name")
    selection.add_argument(
        "--status",
        action="append",
        choices=get_args(RunStatus),
        help="that ended so; may be given several times",
    )
    selection.add_argument(
        "--attribute",
        metavar="KEY=VALUE",
        action="append",
        type=_read_attribute,
        default=[],
        help="with this attribute of the run or its resource; may be given several times",
    )
    selection.add_argument(
        "--since", metavar="TIME", help="started then or later: RFC 3339, or 15m, 2h, 7d back"
    )
    selection.add_argument("--until", metavar="TIME", help="started then or earlier, likewise")
    command.add_argument(
        "--wait",
        metavar="SECONDS",
        type=float,
        help="how long to go on reading while runs are incomplete (0 for files, 30 for backends)",
    )


def list_selection(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the keywords of `read_runs` and `evaluate_runs` that select, where given.

    Args:
        arguments: What was parsed.
    """
    words = ("trace", "run", "thread", "graph", "service", "status", "since", "until")
    given = {word: value for word in words if (value := getattr(arguments, word)) is not None}
    return given | ({"attributes": dict(arguments.attribute)} if arguments.attribute else {})


def _read_attribute(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator or not key:
        raise argparse.ArgumentTypeError(f"{text!r} is no KEY=VALUE")
    return key, value
