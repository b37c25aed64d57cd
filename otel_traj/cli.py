"""The command line: parse, call one library function, print.

stdout is the answer and nothing else, so that it can be piped; problems, hints and errors go to stderr. Exit
codes: 0, and for `eval` 1 and 2 as `evaluate.gate` decides; 2 for whatever kept a command from answering; 130
after Ctrl-C, 141 where the reader of the pipe has gone, as a shell reports the two signals.

Nothing that records is imported unless `demo` runs: the other commands start without langchain and langgraph.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import tempfile
from collections import deque
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from otel_traj import __version__
from otel_traj import semconv as sc
from otel_traj.errors import OtelTrajError, SourceError
from otel_traj.evaluate import evaluate_runs
from otel_traj.model import RunStatus
from otel_traj.reconstruct import read_runs
from otel_traj.report import (
    choose_glyphs,
    discard_output,
    escape,
    escape_unencodable,
    format_report,
    format_run_json,
    format_source_problem,
    format_steps,
    format_tree,
    measure_width,
)
from otel_traj.sources import open_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from otel_traj.model import Run, SourceProblem

__all__ = ["main", "make_parser"]

_INTERRUPTED = 130
_BROKEN_PIPE = 141
_COULD_NOT_TELL = 2

_SHOW_EXAMPLE = "otel-traj show otel-traj-demo/traces.jsonl --graph seven --format steps"
_EVAL_EXAMPLE = "otel-traj eval otel-traj-demo/traces.jsonl --references otel-traj-demo/references.yaml"
_DEMO_EXAMPLE = "otel-traj demo --out otel-traj-demo"
_SOURCE_HELP = "a file, folder or glob of OTLP JSON (lines), or - for standard input"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: The words after `otel-traj`; those of the process where it is None.

    Returns:
        The exit code.

    Raises:
        SystemExit: The arguments are not valid (code 2), or help or version was asked for (code 0).
    """
    words = sys.argv[1:] if argv is None else list(argv)
    arguments = _parse(words)
    escape_unencodable()
    try:
        code: int = arguments.command(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except (OtelTrajError, OSError) as error:
        _complain(str(error))
        if isinstance(error, SourceError):
            _hint_at_references(error.source)
        return _COULD_NOT_TELL
    return code


def _parse(words: list[str]) -> argparse.Namespace:
    parser, commands = make_parser()
    first = words[0] if words else ""
    if first and first not in commands and not first.startswith("-") and Path(first).exists():
        parser.error(f"{first!r} is no command; to look at it: otel-traj show {first}")
    return parser.parse_args(words)


def make_parser() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """Return the parser, and the parsers of the commands by name."""
    parser = argparse.ArgumentParser(
        prog="otel-traj",
        description="Agent trajectories over OpenTelemetry: read runs back from spans, show them, judge them.",
        epilog=f"Start with: {_DEMO_EXAMPLE}",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"otel-traj {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    demo = _add_command(
        commands, "demo", "record three sample agents offline, show and judge them", _DEMO_EXAMPLE
    )
    demo.add_argument(
        "--out", metavar="DIR", default="otel-traj-demo", help="folder to write to (%(default)s)"
    )
    demo.set_defaults(command=_demo)
    show = _add_command(commands, "show", "show the runs of a source", _SHOW_EXAMPLE)
    show.add_argument("source", metavar="SOURCE", help=_SOURCE_HELP)
    show.add_argument(
        "--last", metavar="N", type=partial(_read_number, least=1), help="only the N runs that started last"
    )
    show.add_argument("--format", choices=("tree", "steps", "json"), default="tree", help="(%(default)s)")
    show.set_defaults(command=_show)
    evaluate = _add_command(commands, "eval", "judge the runs of a source against references", _EVAL_EXAMPLE)
    evaluate.add_argument("source", metavar="SOURCE", help=_SOURCE_HELP)
    evaluate.set_defaults(command=_eval)
    _add_demands(evaluate)
    for command in (show, evaluate):
        _add_selection(command)
    return parser, commands.choices


def _add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, does: str, example: str
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=does,
        description=f"{does[0].upper()}{does[1:]}.",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    return command


def _add_demands(command: argparse.ArgumentParser) -> None:
    command.description = f"{command.description}\n\nexit code: 0 all that had to be judged passed, 1 a run failed, 2 could not tell"
    command.add_argument("--references", metavar="FILE", required=True, help="references, YAML or JSON")
    command.add_argument("--format", choices=("text", "json"), default="text", help="(%(default)s)")
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


def _add_selection(command: argparse.ArgumentParser) -> None:
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


def _read_number(text: str, *, least: int) -> int:
    if re.fullmatch("[0-9]{1,9}", text) is None or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of runs; it counts from {least}")
    return int(text)


def _read_attribute(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator or not key:
        raise argparse.ArgumentTypeError(f"{text!r} is no KEY=VALUE")
    return key, value


def _list_selection(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the keywords of `read_runs` and `evaluate_runs` that select, where given."""
    words = ("trace", "run", "thread", "graph", "service", "status", "since", "until")
    given = {word: value for word in words if (value := getattr(arguments, word)) is not None}
    return given | ({"attributes": dict(arguments.attribute)} if arguments.attribute else {})


def _show(arguments: argparse.Namespace) -> int:
    selection = _list_selection(arguments)
    runs: Iterable[Run] = read_runs(arguments.source, on_problem=_print_problem, **selection)
    if arguments.last is not None:
        runs = deque(runs, maxlen=arguments.last)
    printed = _print_runs(runs, arguments.format)
    if not printed:
        which = "no run meets the selection" if selection else "no run was found"
        _complain(f"{which} in {arguments.source!r}")
        _hint_at_references(arguments.source)
    return 0 if printed else _COULD_NOT_TELL


def _print_runs(runs: Iterable[Run], form: str) -> int:
    """Print the runs one by one; return how many there were."""
    width, glyphs = measure_width(), choose_glyphs()
    printed = 0
    for run in runs:
        if form == "json":
            print(",\n" if printed else "[\n", format_run_json(run), sep="", end="")
        elif form == "steps":
            print(format_steps(run))
        else:
            print("\n" if printed else "", format_tree(run, width=width, glyphs=glyphs), sep="")
        printed += 1
    if form == "json":
        print("\n]" if printed else "[]")
    return printed


def _eval(arguments: argparse.Namespace) -> int:
    report = evaluate_runs(
        arguments.source,
        references=arguments.references,
        require_all=arguments.require_all,
        min_evaluated=arguments.min_evaluated,
        allow_unreadable=arguments.allow_unreadable,
        require_manifest=arguments.require_manifest,
        **_list_selection(arguments),
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
        _hint_at_references(arguments.source)
    return report.exit_code


def _demo(arguments: argparse.Namespace) -> int:
    from otel_traj.record.sample_runs import SAMPLE_REFERENCES, SAMPLE_SERVICE, record_sample_runs

    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    traces, references = folder / "traces.jsonl", folder / "references.yaml"
    if not _is_replaceable(traces, references, SAMPLE_REFERENCES, SAMPLE_SERVICE):
        return _COULD_NOT_TELL
    with tempfile.TemporaryDirectory(dir=folder, prefix=".recording-") as scratch:
        recorded = Path(scratch) / traces.name
        record_sample_runs(recorded)
        recorded.replace(traces)
    references.write_text(SAMPLE_REFERENCES, encoding="utf-8")
    print(
        f"Three sample agents have run, offline. Their spans are in\n  {traces}\nand these are the runs in them:\n"
    )
    if not _print_runs(read_runs(traces, on_problem=_print_problem), "tree"):
        _complain("nothing was recorded; is OTEL_SDK_DISABLED set?")
        return _COULD_NOT_TELL
    print(f"\nJudged by\n  {references}\nwhich wants every run of the graph seven to take the long path:\n")
    report = evaluate_runs(traces, references=references)
    print(format_report(report, width=measure_width()))
    print("\nOne run fails, as it should: it took the shortcut. Now look for yourself:\n")
    print(f"  otel-traj show {shlex.quote(str(traces))}")
    print(f"  otel-traj eval {shlex.quote(str(traces))} --references {shlex.quote(str(references))}")
    return 0


def _is_replaceable(traces: Path, references: Path, sample_references: str, service: str) -> bool:
    """Return whether what lies in the demo's place is the demo's own, unchanged; complain where it is not."""
    problems: list[SourceProblem] = []
    is_ours = True
    if traces.exists():
        spans = open_source(traces).read_spans(problems.append)
        is_ours = all(span.resource.get(sc.SERVICE_NAME) == service for span in spans)
        is_ours = is_ours and all(problem.code == "empty_source" for problem in problems)
    if not is_ours:
        _complain(f"{str(traces)!r} holds more than an earlier demo wrote, and is kept; choose another --out")
    elif references.exists() and references.read_bytes() != sample_references.encode():
        is_ours = False
        _complain(f"{str(references)!r} is not as the demo writes it, and is kept; choose another --out")
    return is_ours


def _print_problem(problem: SourceProblem) -> None:
    print(format_source_problem(problem), file=sys.stderr)


def _complain(message: str) -> None:
    print(f"otel-traj: {escape(message)}", file=sys.stderr)


def _hint_at_references(source: str) -> None:
    if source.lower().endswith((".yaml", ".yml")):
        _complain("a reference file stands after --references; the source holds spans")
