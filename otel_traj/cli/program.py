"""The program: its parser made of the commands, and what becomes of an error."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from typing import TYPE_CHECKING

from otel_traj import __version__
from otel_traj.cli.demo import DEMO_EXAMPLE, add_demo
from otel_traj.cli.doctor import add_doctor
from otel_traj.cli.eval import add_eval
from otel_traj.cli.export import add_export
from otel_traj.cli.learn import add_learn
from otel_traj.cli.parser import Parser
from otel_traj.cli.show import add_show
from otel_traj.cli.speech import COULD_NOT_TELL, complain, hint_at_references
from otel_traj.errors import OtelTrajError, SourceError
from otel_traj.report import discard_output, escape_unencodable
from otel_traj.sources import hide_user

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["main", "make_parser"]

_INTERRUPTED = 130
_BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: The words after `otel-traj`; those of the process where it is None.

    Returns:
        The exit code.

    Raises:
        SystemExit: The arguments are not valid (code 2), or help or version was asked for (code 0).
    """
    escape_unencodable()
    arguments = _parse(sys.argv[1:] if argv is None else list(argv))
    try:
        code: int = arguments.command(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OtelTrajError as error:
        complain(str(error))
        if isinstance(error, SourceError):
            hint_at_references(error.source)
        return COULD_NOT_TELL
    except OSError as error:
        discard_output()
        complain(
            f"the answer can't be written ({error.strerror or error}), so that it is not whole; write it elsewhere"
        )
        return COULD_NOT_TELL
    return code


def _parse(words: list[str]) -> argparse.Namespace:
    parser, commands = make_parser()
    if not words:
        parser.print_help(sys.stderr)
        parser.exit(COULD_NOT_TELL)
    first = words[0]
    # `Path.exists` raises for a name that is too long.
    is_there = os.path.lexists(first)
    if first not in commands and not first.startswith("-") and (is_there or "://" in first):
        shown = first if is_there else hide_user(first)
        parser.error(f"{shown!r} is no command; to look at it: otel-traj show {shlex.quote(shown)}")
    arguments, unknown = parser.parse_known_args(words, argparse.Namespace(parser=parser))
    if unknown:
        arguments.parser.error(f"unknown arguments: {' '.join(map(hide_user, unknown))}")
    if arguments.parser is parser:
        parser.error(f"no command; there are {', '.join(commands)}")
    return arguments


def make_parser() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """Return the parser, and the parsers of the commands by name."""
    parser = Parser(
        prog="otel-traj",
        description="Agent trajectories over OpenTelemetry: read runs back from spans, show them, judge them.",
        epilog=f"Start with: {DEMO_EXAMPLE}",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"otel-traj {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND")
    add_demo(commands)
    add_show(commands)
    add_eval(commands)
    add_learn(commands)
    add_export(commands)
    add_doctor(commands)
    return parser, commands.choices
