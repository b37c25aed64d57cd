"""How every command is parsed: what its help looks like, and the two lines in which it complains."""

from __future__ import annotations

import argparse
import re
import sys
from typing import NoReturn, TypeAlias

from otel_traj.cli.speech import COULD_NOT_TELL, complain

__all__ = ["SOURCE_HELP", "Commands", "Parser", "add_command", "read_number"]

SOURCE_HELP = (
    "a file, folder or glob of spans, - for stdin, 'jaeger+http://host:16686?service=NAME&since=2h', "
    "tempo+http://host:3200 likewise"
)


class Parser(argparse.ArgumentParser):
    """Complains in two lines, the usage and what is wrong with it."""

    def error(self, message: str) -> NoReturn:
        """End the program with code 2, saying what is wrong."""
        self.print_usage(sys.stderr)
        complain(f"{message}; see {self.prog} --help")
        self.exit(COULD_NOT_TELL)


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def add_command(commands: Commands, name: str, does: str, *, usage: str, example: str) -> Parser:
    """Add a command, and return its parser.

    Args:
        commands: What it is added to.
        name: What is typed.
        does: What it does, beginning with a verb in lower case, without a full stop.
        usage: The arguments as its usage shows them.
        example: One line that can be typed as it stands.
    """
    command = commands.add_parser(
        name,
        usage=f"otel-traj {name} {usage}",
        help=does,
        description=f"{does[0].upper()}{does[1:]}.",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.set_defaults(parser=command)
    return command


def read_number(text: str, *, least: int) -> int:
    """Return the number of runs that an option gives.

    Args:
        text: As typed.
        least: The smallest number allowed.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    if re.fullmatch("[0-9]{1,9}", text) is None or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of runs; it counts from {least}")
    return int(text)
