"""`otel-traj learn`: references from runs that were good."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from otel_traj.cli.output import OUT_HELP, put_output, refuse_output
from otel_traj.cli.parser import SOURCE_HELP, add_command
from otel_traj.cli.selection import add_selection, list_selection
from otel_traj.cli.speech import COULD_NOT_TELL, complain, open_named, print_problem
from otel_traj.errors import InvalidReferenceError, SinkError
from otel_traj.evaluate import learn_references, load_references, write_references
from otel_traj.report import escape

if TYPE_CHECKING:
    import argparse

    from otel_traj.cli.parser import Commands
    from otel_traj.evaluate import Learned

__all__ = ["add_learn"]

_EXAMPLE = "otel-traj learn otel-traj-demo/traces.jsonl --name good --out learned.yaml"


def add_learn(commands: Commands) -> None:
    """Add the command.

    Args:
        commands: The commands of the program.
    """
    does = "write references from the good runs of a source"
    usage = "SOURCE --name NAME --out FILE [OPTION]..."
    command = add_command(commands, "learn", does, usage=usage, example=_EXAMPLE)
    command.set_defaults(command=_learn)
    command.description = (
        f"{command.description}\n\nA run teaches where it is complete and ended ok. There is one reference per graph and "
        f"case; read it, and commit\nit beside the agent.\n\nexit code: 0 something was learned, 2 there was nothing to "
        f"learn from"
    )
    command.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    command.add_argument(
        "--name",
        metavar="NAME",
        required=True,
        help="name of the reference, or how the names of several begin",
    )
    command.add_argument("--out", metavar="FILE", required=True, help=OUT_HELP)
    add_selection(command)


def _learn(arguments: argparse.Namespace) -> int:
    source = open_named(arguments.source, arguments)
    refuse_output(arguments.out, source)
    _refuse_other_files(Path(arguments.out))
    learned = learn_references(
        source,
        name=arguments.name,
        on_problem=print_problem,
        wait=arguments.wait,
        **list_selection(arguments),
    )
    for reason in learned.left_out:
        complain(reason)
    if not learned.references:
        complain(f"there is nothing to learn from in {source.name!r}, and {arguments.out!r} is not written")
        return COULD_NOT_TELL
    text = write_references(learned.references)
    put_output(arguments.out, text, _tell(learned), what="the reference file")
    return 0


def _refuse_other_files(path: Path) -> None:
    """Refuse to write over anything but references: those are under version control, where a change is seen.

    Raises:
        SinkError: Something else lies there.
    """
    if not path.is_file() or not path.stat().st_size:
        return
    try:
        load_references(path)
    except InvalidReferenceError as error:
        words = f"{str(path)!r} is there and holds no references ({error}); it is kept"
        raise SinkError(f"{words}; name another file", path=str(path)) from error


def _tell(learned: Learned) -> str:
    count = len(learned.references)
    lines = [f"{count} {'reference' if count == 1 else 'references'}"]
    for reference in learned.references:
        runs = learned.runs_of[reference.name]
        ways = len(reference.any_of or ())
        lines.append(
            f"  {escape(reference.name)}: {runs:,} {'run' if runs == 1 else 'runs'}"
            + (f", {ways:,} trajectories" if ways else "")
        )
    return "\n".join(lines)
