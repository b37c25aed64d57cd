"""Reports made by the engine from recorded spans, for the tests of their forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from otel_traj import SourceProblem, Verdict, evaluate_runs
from otel_traj import semconv as sc
from otel_traj.evaluate.references.reference import AppliesTo, Reference
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj import Report
    from otel_traj.match import TrajectoryMode
    from otel_traj.model import Span

__all__ = ["HOSTILE", "build_hostile_report", "build_report", "judge_steps", "record"]

_START_NS = 1_764_500_000_000_000_000

HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07",
    "[bold red]:skull:[/]",
    "\u202etxt\u2066\u200b",
    "a\nFAIL b\r\x85\u2028c",
    "| `x` ``y`` ``` |",
    "````",
    "</summary><script>alert(1)</script>",
    "@user #1 org/repo#2 www.example.com",
    "]]><!-- &amp; <a b='c\"",
    "![i](javascript:x) [l](http://evil) \\",
    "\x00\ufffe\ud800",
    "-node",
    "x" * 10_000,
)
"""Names that try to be markup, to move the cursor, to forge a line, to be no valid character, or to flood."""


def record(
    name: str,
    *supersteps: Sequence[str],
    graph: str = "seven",
    case: str = "",
    thread: str | None = None,
    start: int = 0,
) -> list[Span]:
    """Return the spans of a run with these nodes by superstep, a second long."""
    run = RecordedRun(name, graph=graph, thread=thread or f"thread-{name}", start=_START_NS + start)
    for number, names in enumerate(supersteps, 1):
        for index, node in enumerate(names):
            run.task(node, number, push=index if names.count(node) > 1 else None)
    run.clock += 1_000_000_000
    return run.spans(case=case) if case else run.spans()


def judge_steps(
    expected: Sequence[object], *supersteps: Sequence[str], trajectory_mode: TrajectoryMode = "strict"
) -> Verdict:
    """Return the verdict on one run against these supersteps."""
    reference = Reference(name="r", steps=expected, trajectory_mode=trajectory_mode)
    [verdict] = evaluate_runs(record("run", *supersteps), references=[reference]).verdicts
    return verdict


def build_report() -> Report:
    """Return a report with everything in it: a pass, fails, what could not be told, what no reference applies to."""
    agent = RecordedRun("agent", graph="assistant", thread="a", start=_START_NS)
    model = agent.task("model", 1)
    agent.call(
        sc.CHAT,
        "scripted-1",
        model,
        usage_input_tokens=1_200,
        usage_output_tokens=34,
        usage_cache_read_input_tokens=1_000,
    )
    agent.clock += 2_500_000_000
    lost = [span for span in record("lost", ["node1"], ["node2"], case="long") if "node2" not in span.name]
    spans = [
        *record("good", ["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"], case="long"),
        *record("serial", ["node1"], ["node3"], ["node4"], ["node5"], ["node6"], ["node7"], case="long"),
        *record("short", ["node1"], ["node2"], ["node7"], case="long"),
        *agent.spans(),
        *lost,
        *record("other", ["x"], graph="other"),
    ]
    long_path = Reference(
        name="long path",
        steps=[["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]],
        applies_to=AppliesTo(graph="seven", case="long"),
    )
    answers = Reference(name="answers", steps=[["model"]], applies_to=AppliesTo(graph="assistant"))
    unmet = Reference(name="never met", steps=[["a"]], applies_to=AppliesTo(graph="nowhere"))
    return evaluate_runs(spans, references=[long_path, answers, unmet])


def build_hostile_report() -> Report:
    """Return a report in which every word that a trace or a reference file brings is hostile."""
    spans: list[Span] = []
    references: list[Reference] = []
    for number, evil in enumerate(HOSTILE):
        safe = evil.replace("\x00\ufffe\ud800", "\x01")
        run = RecordedRun(f"evil {number}", graph=safe, thread=safe, start=_START_NS + number)
        run.task(evil, 1, id=f"evil {number}")
        run.task(safe + "2", 1, id=f"safe {number}")
        spans += run.spans(case=safe)
        expected = [[evil, "node"], [safe + "2"]]
        references.append(Reference(name=evil, steps=expected, applies_to=AppliesTo(graph=safe)))
    references.append(
        Reference(name=f"unmet {HOSTILE[3]}", steps=[["a"]], applies_to=AppliesTo(graph="none"))
    )
    run = RecordedRun("unknown", graph="unknown |", thread="<b>", start=_START_NS)
    run.task("a", 1)
    report = evaluate_runs([*spans, *run.spans()], references=references)
    problems = [SourceProblem(code="not_spans", message=evil, source=evil, line=1) for evil in HOSTILE]
    summary = report.summary
    return replace(
        report,
        verdicts=[*report.verdicts, *map(_make_hostile_verdict, HOSTILE)],
        summary={**summary, "failed": summary["failed"] + len(HOSTILE)},
        exit_reasons=list(HOSTILE),
        hints=list(HOSTILE),
        source_problems=problems,
    )


def _make_hostile_verdict(evil: str) -> Verdict:
    """Return what an evaluator of the user's may answer, which the engine has not escaped."""
    return Verdict(
        run_id=evil,
        thread_id=evil,
        reference=None,
        verdict="fail",
        score=0.5,
        comment=f"{evil}\n{evil}",
        metadata={"evil": evil},
        key=evil,
    )
