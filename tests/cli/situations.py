"""What can be the matter with what `eval` reads, one situation at a time, so that any of them can be mixed.

Each situation brings runs, lines, references or options of its own, the words it must be told in, and what it does to
the exit code; the codes of mixtures follow from these by the one rule that a fail wins over a doubt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec.structs import replace

from tests.evaluate.judging.threads import lose, record_turn
from tests.otlp_lines import write_lines
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from otel_traj.model import Span

__all__ = ["SITUATIONS", "Situation", "expect_code", "write_situations"]

_Effect: TypeAlias = Literal[
    "pass",
    "fail",
    "doubt",
    "damage",
    "accepts damage",
    "without reference",
    "unmet",
    "requires all",
    "too few",
]

_OUTSIDE: Final = "1970-01-01T00:00:00.000001Z"
"""Runs start later, but for one."""


@dataclass(frozen=True, kw_only=True)
class Situation:
    """One thing that is the matter."""

    effect: _Effect
    words: str
    """Of the answer, wherever the situation is mixed in."""
    spans: tuple[Span, ...] = ()
    line: str = ""
    """After the spans, with its own end of line."""
    references: tuple[str, ...] = ()
    """Entries of a reference file in YAML's flow style."""
    options: tuple[str, ...] = ()


def _run(name: str, *supersteps: str, case: str = "", outcome: str = "ok") -> list[Span]:
    return record_turn(
        name, *supersteps, case=case, graph="seven", thread=f"thread of {name}", outcome=outcome, start=5_000
    )


def _path(name: str, *, outcome: str = "ok") -> list[Span]:
    return _run(name, "node1", "node2", "node7", case="path", outcome=outcome)


def _open() -> list[Span]:
    *below, root = _path("open")
    return [*below, replace(root, end_ns=0)]


def _talk(thread: str, *turns: str, first: int = 1) -> list[Span]:
    spans: list[Span] = []
    for at, node in enumerate(turns):
        number = first + 3 * at
        spans += record_turn(
            f"{thread} {at}",
            node,
            thread=thread,
            graph=f"{thread} graph",
            start=6_000 + 500 * at,
            first=number,
        )
    return spans


def _with_results(name: str, results: str | None) -> list[Span]:
    run = RecordedRun(name, graph=f"{name} graph", start=5_000)
    run.task("a", 1)
    return run.spans() if results is None else run.spans(results=results)


_PATH = "{name: path, applies_to: {graph: seven, case: path}, steps: [node1, node2, node7]}"
_TURNS = (
    "{name: asks, applies_to: {case: in threads alone}, steps: [ask]}",
    "{name: answers, applies_to: {case: in threads alone}, steps: [answer]}",
)


def _expect_talk(thread: str) -> tuple[str, ...]:
    named = f"{{name: {thread}, applies_to: {{graph: {thread} graph}}, thread: {{runs: [asks, answers]}}}}"
    return (*_TURNS, named)


def _expect_results(name: str) -> tuple[str]:
    return (f"{{name: {name}, applies_to: {{graph: {name} graph}}, results: {{value: {{n: 1}}}}}}",)


SITUATIONS: Final = {
    "a pass": Situation(effect="pass", words="pass path", spans=(*_path("good"),), references=(_PATH,)),
    "a fail": Situation(
        effect="fail",
        words="superstep 2: expected {node2}, got {node3}",
        spans=(*_run("wrong", "node1", "node3", "node7", case="path"),),
        references=(_PATH,),
    ),
    "a run that broke": Situation(
        effect="fail",
        words="run ended in error",
        spans=(*_path("broken", outcome="error"),),
        references=(_PATH,),
    ),
    "a lost batch": Situation(
        effect="doubt",
        words="run is incomplete (manifest_mismatch)",
        spans=(*lose(_path("lost"), "invoke_node node2"),),
        references=(_PATH,),
    ),
    "a lost root": Situation(
        effect="doubt",
        words="which reference applies can't be told",
        spans=(*_path("beside"), *lose(_path("rootless"), "invoke_workflow")),
        references=(_PATH,),
    ),
    "an open run": Situation(
        effect="doubt", words="run is incomplete (root_open", spans=(*_open(),), references=(_PATH,)
    ),
    "a run that waits": Situation(
        effect="doubt",
        words="waiting at node2",
        spans=(*_run("waits", "node1", "node2", case="path", outcome="interrupted"),),
        references=(_PATH,),
    ),
    "an ambiguous run": Situation(
        effect="doubt",
        words="2 references apply, 'one', 'two'",
        spans=(*_run("twice", "a", case="twice"),),
        references=tuple(
            f"{{name: {name}, applies_to: {{case: twice}}, steps: [a]}}" for name in ("one", "two")
        ),
    ),
    "an unreadable line": Situation(
        effect="damage", words="parts of the source could not be read", line="{nope\n"
    ),
    "an unfinished line": Situation(
        effect="damage", words="parts of the source could not be read", line='{"resourceSpans": [{"res'
    ),
    "unreadable lines are accepted": Situation(
        effect="accepts damage", words="", options=("--allow-unreadable",)
    ),
    "a run without a reference": Situation(
        effect="without reference",
        words="no reference applies to graph 'seven', case 'unknown'",
        spans=(*_run("other", "x", case="unknown"),),
    ),
    "a reference without a run": Situation(
        effect="unmet",
        words="references that no run met:",
        references=("{name: never, applies_to: {case: never}, steps: [x]}",),
    ),
    "all are required": Situation(effect="requires all", words="", options=("--require-all",)),
    "more were to be judged": Situation(
        effect="too few", words="at least 99 wanted (min-evaluated)", options=("--min-evaluated", "99")
    ),
    "a fail outside the window": Situation(
        effect="unmet",
        words="references that no run met:",
        spans=(*record_turn("old", "x", case="old", graph="seven", thread="of old", start=10),),
        references=("{name: old, applies_to: {case: old}, steps: [y]}",),
        options=("--since", _OUTSIDE),
    ),
    "a thread that passes": Situation(
        effect="pass",
        words="pass good-talk",
        spans=(*_talk("good-talk", "ask", "answer"),),
        references=_expect_talk("good-talk"),
    ),
    "a thread that fails": Situation(
        effect="fail",
        words="run 1, superstep 1: expected {answer}, got {ask}",
        spans=(*_talk("bad-talk", "ask", "ask"),),
        references=_expect_talk("bad-talk"),
    ),
    "a thread with a lost batch": Situation(
        effect="doubt",
        words="run 1 is incomplete (manifest_mismatch)",
        spans=(*lose(_talk("lost-talk", "ask", "answer"), "invoke_node answer"),),
        references=_expect_talk("lost-talk"),
    ),
    "a thread whose beginning is lost": Situation(
        effect="doubt",
        words="runs of the thread may be missing",
        spans=(*_talk("late-talk", "answer", first=4),),
        references=_expect_talk("late-talk"),
    ),
    "results that differ": Situation(
        effect="fail",
        words="results: at n: differs",
        spans=(*_with_results("wrong-results", '{"n": 2}'),),
        references=_expect_results("wrong-results"),
    ),
    "results that were not recorded": Situation(
        effect="doubt",
        words="results were not recorded",
        spans=(*_with_results("no-results", None),),
        references=_expect_results("no-results"),
    ),
}
"""By a name for the reader of a test's id."""


def expect_code(situations: Iterable[Situation]) -> int:
    """Return the exit code that the table of situations and codes has for a mixture that holds runs."""
    effects = {each.effect for each in situations}
    demands_more = "requires all" in effects and effects & {"without reference", "unmet"}
    if effects & {"fail", "too few"} or demands_more:
        return 1
    is_damaged = "damage" in effects and "accepts damage" not in effects
    return 2 if "doubt" in effects or is_damaged or "pass" not in effects else 0


def write_situations(folder: Path, situations: Iterable[Situation]) -> list[str]:
    """Write the source and the references of a mixture; return the arguments of `eval`."""
    mixed = list(situations)
    source = write_lines(folder / "traces.jsonl", [span for each in mixed for span in each.spans])
    with source.open("a", encoding="utf-8") as file:
        # What has no end of line can only come last.
        file.write("".join(sorted((each.line for each in mixed), key=lambda line: not line.endswith("\n"))))
    entries = dict.fromkeys(entry for each in mixed for entry in each.references)
    lines = [f"  - {entry}" for entry in entries or [_PATH]]
    references = folder / "references.yaml"
    references.write_text("\n".join(["version: 1", "references:", *lines, ""]), encoding="utf-8")
    options = [option for each in mixed for option in each.options]
    return [str(source), "--references", str(references), *options]
