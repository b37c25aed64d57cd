"""The command line: parse, call one library function, print.

stdout is the answer and nothing else, so that it can be piped; problems, hints and errors go to stderr. Exit
codes: 0, and for `eval` 1 and 2 as `evaluate.gate` decides; 2 for whatever kept a command from answering; 130
after Ctrl-C, 141 where the reader of the pipe has gone, as a shell reports the two signals.

Nothing that records is imported unless `demo` runs: the other commands start without langchain and langgraph.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from otel_traj import __version__
from otel_traj import semconv as sc
from otel_traj.cli_selection import add_selection, list_selection
from otel_traj.errors import OtelTrajError, SinkError, SourceError
from otel_traj.evaluate import evaluate_runs, explain_absent_graphs
from otel_traj.reconstruct import read_runs
from otel_traj.reconstruct.read import read_candidates
from otel_traj.reconstruct.selection import make_selection
from otel_traj.report import (
    choose_glyphs,
    discard_output,
    escape,
    escape_unencodable,
    fit_stderr,
    format_report,
    format_run_json,
    format_source_problem,
    format_steps,
    format_tree,
    measure_width,
    name_program,
)
from otel_traj.sources import describe_defaults, open_source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otel_traj.model import Run, SourceProblem
    from otel_traj.sources import Source

    _Commands: TypeAlias = "argparse._SubParsersAction[_Parser]"

__all__ = ["main", "make_parser"]

_INTERRUPTED = 130
_BROKEN_PIPE = 141
_COULD_NOT_TELL = 2

_SHOW_EXAMPLE = "otel-traj show otel-traj-demo/traces.jsonl --graph seven --format steps"
_EVAL_EXAMPLE = "otel-traj eval otel-traj-demo --references otel-traj-demo/references.yaml"
_DEMO_EXAMPLE = "otel-traj demo --out otel-traj-demo"
_EXIT_CODES = "exit code: 0 all that had to be judged passed, 1 a run failed, 2 could not tell"
_ELSEWHERE = 'give the demo another folder: otel-traj demo --out DIR, or make demo ARGS="--out DIR"'
_SOURCE_HELP = (
    "a file, folder or glob of spans, - for stdin, jaeger+http://host:16686, tempo+http://host:3200"
)


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
        _complain(str(error))
        if isinstance(error, SourceError):
            _hint_at_references(error.source)
        return _COULD_NOT_TELL
    except OSError as error:
        discard_output()
        _complain(
            f"the answer can't be written ({error.strerror or error}), so that it is not whole; write it elsewhere"
        )
        return _COULD_NOT_TELL
    return code


def _parse(words: list[str]) -> argparse.Namespace:
    parser, commands = make_parser()
    if not words:
        parser.print_help(sys.stderr)
        parser.exit(_COULD_NOT_TELL)
    first = words[0]
    # `Path.exists` raises for a name that is too long.
    if first not in commands and not first.startswith("-") and os.path.lexists(first):
        parser.error(f"{first!r} is no command; to look at it: otel-traj show {shlex.quote(first)}")
    arguments, unknown = parser.parse_known_args(words, argparse.Namespace(parser=parser))
    if unknown:
        arguments.parser.error(f"unknown arguments: {' '.join(unknown)}")
    if arguments.parser is parser:
        parser.error(f"no command; there are {', '.join(commands)}")
    return arguments


class _Parser(argparse.ArgumentParser):
    """Complains in two lines, the usage and what is wrong with it."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        _complain(f"{message}; see {self.prog} --help")
        self.exit(_COULD_NOT_TELL)


def make_parser() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """Return the parser, and the parsers of the commands by name."""
    parser = _Parser(
        prog="otel-traj",
        description="Agent trajectories over OpenTelemetry: read runs back from spans, show them, judge them.",
        epilog=f"Start with: {_DEMO_EXAMPLE}",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"otel-traj {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND")
    _add_demo(commands)
    _add_show(commands)
    _add_eval(commands)
    return parser, commands.choices


def _add_demo(commands: _Commands) -> None:
    does = "record three sample agents offline, show and judge them"
    command = _add_command(commands, "demo", does, usage="[--out DIR]", example=_DEMO_EXAMPLE)
    command.set_defaults(command=_demo)
    command.add_argument(
        "--out", metavar="DIR", default="otel-traj-demo", help="folder to write to (%(default)s)"
    )


def _add_show(commands: _Commands) -> None:
    does = "show the runs of a source"
    command = _add_command(commands, "show", does, usage="SOURCE [OPTION]...", example=_SHOW_EXAMPLE)
    command.set_defaults(command=_show)
    command.add_argument("source", metavar="SOURCE", help=_SOURCE_HELP)
    command.add_argument(
        "--last", metavar="N", type=partial(_read_number, least=1), help="only the N runs that started last"
    )
    command.add_argument("--format", choices=("tree", "steps", "json"), default="tree", help="(%(default)s)")
    add_selection(command)


def _add_eval(commands: _Commands) -> None:
    does = "judge the runs of a source against references"
    usage = "SOURCE --references FILE [OPTION]..."
    command = _add_command(commands, "eval", does, usage=usage, example=_EVAL_EXAMPLE)
    command.set_defaults(command=_eval)
    command.description = f"{command.description}\n\n{_EXIT_CODES}"
    command.add_argument("source", metavar="SOURCE", help=_SOURCE_HELP)
    command.add_argument("--references", metavar="FILE", required=True, help="references, YAML or JSON")
    command.add_argument("--format", choices=("text", "json"), default="text", help="(%(default)s)")
    _add_demands(command)
    add_selection(command)


def _add_command(commands: _Commands, name: str, does: str, *, usage: str, example: str) -> _Parser:
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
        type=partial(_read_number, least=0),
        help="fail if fewer runs were judged",
    )
    demands.add_argument(
        "--allow-unreadable", action="store_true", help="accept that parts of the source can't be read"
    )
    demands.add_argument(
        "--require-manifest", action="store_true", help="judge only runs that are proved to be complete"
    )


def _read_number(text: str, *, least: int) -> int:
    if re.fullmatch("[0-9]{1,9}", text) is None or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of runs; it counts from {least}")
    return int(text)


def _show(arguments: argparse.Namespace) -> int:
    selection = make_selection(**list_selection(arguments))
    source = _open(arguments)
    there = list(read_candidates(source, selection, on_problem=_print_problem, wait=arguments.wait))
    chosen = [run for run in there if selection.takes(run)]
    if arguments.last is not None:
        chosen = chosen[-arguments.last :]
    _print_runs(chosen, arguments.format)
    if chosen:
        return 0
    which = "no run meets the selection" if there else "no run was found"
    why = explain_absent_graphs(there, filter(None, [arguments.graph]))
    _complain(f"{which} in {source.name!r}" + (f": {why}" if why else ""))
    _hint_at_references(source.name)
    return _COULD_NOT_TELL


def _open(arguments: argparse.Namespace) -> Source:
    """Open the source, and say what of it is read where neither its name nor a selection says so."""
    source = open_source(arguments.source)
    words = describe_defaults(source)
    if words and not any(
        (arguments.trace, arguments.run, arguments.thread, arguments.since, arguments.until)
    ):
        _complain(f"{source.name}: {words}")
    if source.capabilities.lags and arguments.wait != 0 and sys.stderr.isatty():
        _complain("runs that are incomplete are waited for (--wait 0 reads once)")
    return source


def _print_runs(runs: Sequence[Run], form: str) -> None:
    width, glyphs = measure_width(), choose_glyphs()
    if form == "json":
        print("[" + ",".join(f"\n{format_run_json(run)}" for run in runs) + ("\n]" if runs else "]"))
    elif form == "steps":
        for run in runs:
            print(format_steps(run))
    else:
        for number, run in enumerate(runs):
            print("\n" if number else "", format_tree(run, width=width, glyphs=glyphs), sep="")


def _eval(arguments: argparse.Namespace) -> int:
    source = _open(arguments)
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
        _print_problem(problem)
    if arguments.format == "json":
        print(report.to_json())
        for reason in report.exit_reasons:
            _complain(reason)
    else:
        print(format_report(report, width=measure_width()))
    if not report.verdicts:
        _hint_at_references(source.name)
    return report.exit_code


def _demo(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.out)
    traces, references = folder / "traces.jsonl", folder / "references.yaml"
    try:
        _record_samples(traces, references)
    except OSError as error:
        if isinstance(error, OtelTrajError):
            raise
        reason = "it is no folder" if isinstance(error, FileExistsError) else error.strerror or error
        words = f"{str(folder)!r} can't be written to ({reason}), so that the demo has no place for its files"
        raise SinkError(f"{words}; {_ELSEWHERE}", path=str(folder)) from error
    runs = list(read_runs(traces, on_problem=_print_problem))
    if not runs:
        _complain("nothing was recorded; is OTEL_SDK_DISABLED set?")
        return _COULD_NOT_TELL
    print(
        f"Three sample agents have run, offline. Their spans are in\n  {traces}\nand these are the runs in them:\n"
    )
    _print_runs(runs, "tree")
    print(f"\nJudged by\n  {references}\nwhich wants every run of the graph seven to take the long path:\n")
    print(format_report(evaluate_runs(traces, references=references), width=measure_width()))
    print("\nOne run fails, as it should: it took the shortcut. Now look for yourself:\n")
    program, spans = name_program(), shlex.quote(str(traces))
    print(f"  {program} show {spans}")
    print(f"  {program} eval {spans} --references {shlex.quote(str(references))}")
    return 0


def _record_samples(traces: Path, references: Path) -> None:
    """Write both files of the demo where nothing lies, or what an earlier demo wrote.

    Raises:
        SinkError: Something else lies there.
        OSError: The folder can't be written to.
    """
    from otel_traj.record.sample_runs import SAMPLE_REFERENCES, SAMPLE_SERVICE, record_sample_runs

    traces.parent.mkdir(parents=True, exist_ok=True)
    if traces.exists() and not _are_samples(traces, SAMPLE_SERVICE):
        words = f"{str(traces)!r} holds more than an earlier demo wrote, and is kept; {_ELSEWHERE}"
        raise SinkError(words, path=str(traces))
    if references.exists() and not (
        references.is_file() and references.read_bytes() == SAMPLE_REFERENCES.encode()
    ):
        words = f"{str(references)!r} is not as the demo writes it, and is kept; {_ELSEWHERE}"
        raise SinkError(words, path=str(references))
    with tempfile.TemporaryDirectory(dir=traces.parent, prefix=".recording-") as scratch:
        recorded = Path(scratch) / traces.name
        record_sample_runs(recorded)
        recorded.replace(traces)
    references.write_text(SAMPLE_REFERENCES, encoding="utf-8")


def _are_samples(traces: Path, service: str) -> bool:
    problems: list[SourceProblem] = []
    spans = open_source(traces).read_spans(problems.append)
    is_of_service = all(span.resource.get(sc.SERVICE_NAME) == service for span in spans)
    return is_of_service and all(problem.code == "empty_source" for problem in problems)


def _print_problem(problem: SourceProblem) -> None:
    print(fit_stderr(format_source_problem(problem)), file=sys.stderr)


def _complain(message: str) -> None:
    print(fit_stderr(f"otel-traj: {escape(message)}"), file=sys.stderr)


def _hint_at_references(source: str) -> None:
    if source.lower().endswith((".yaml", ".yml")):
        _complain("a reference file stands after --references; the source holds spans")
