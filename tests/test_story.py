"""A team's story: record good runs, learn references, commit them, change the agent, and read what `eval` says."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Annotated, Any, TypedDict
from xml.etree import ElementTree as ET

import pytest
from langgraph.graph import END, START, StateGraph
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_traj import JsonLinesSpanExporter, TrajectoryCallbackHandler
from otel_traj.cli import main

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TURNS = {"easy": 1, "hard": 2}
"""How often a case goes round the loop of draft and review."""


class State(TypedDict):
    """What the agent works on."""

    turns: int
    done: Annotated[list[str], operator.add]


def build_agent(*, plans: bool = True, in_parallel: bool = True, more_turns: int = 0) -> Any:  # noqa: ANN401
    """Return the agent: plan, two searches side by side, a loop of draft and review, send."""
    builder = StateGraph(State)
    for name in ("plan", "search_web", "search_files", "draft", "review", "send"):
        builder.add_node(name, lambda _, name=name: {"done": [name]})
    first = "plan" if plans else START
    if plans:
        builder.add_edge(START, "plan")
    builder.add_edge(first, "search_web")
    if in_parallel:
        builder.add_edge(first, "search_files")
        builder.add_edge(["search_web", "search_files"], "draft")
    else:
        builder.add_edge("search_web", "search_files")
        builder.add_edge("search_files", "draft")
    builder.add_edge("draft", "review")

    def choose(state: State) -> str:
        return "send" if state["done"].count("review") >= state["turns"] + more_turns else "draft"

    builder.add_conditional_edges("review", choose, ["draft", "send"])
    builder.add_edge("send", END)
    return builder.compile(name="writer")


def record(path: Path, agent: Any, cases: Sequence[str]) -> None:  # noqa: ANN401 - a compiled graph
    """Run the agent once for each case, and write the spans into a file."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(JsonLinesSpanExporter(path)))
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    for case in cases:
        agent.invoke({"turns": TURNS[case], "done": []}, {"callbacks": [handler], "metadata": {"case": case}})
    provider.shutdown()


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """References learned from twenty good runs, ten of each case."""
    folder = tmp_path_factory.mktemp("story")
    good, learned = folder / "good.jsonl", folder / "references.yaml"
    record(good, build_agent(), list(TURNS) * 10)
    assert main(["learn", str(good), "--name", "good", "--out", str(learned)]) == 0
    assert (
        main(["eval", str(good), "--references", str(learned), "--require-all", "--min-evaluated", "20"]) == 0
    )
    return learned


CHANGES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a node skipped": (
        {"plans": False},
        ["superstep 1: expected {plan}, got nothing; missing plan"],
    ),
    "two parallel nodes serialised": (
        {"in_parallel": False},
        [
            "superstep 2: expected {search_files, search_web}, got {search_web}; missing search_files",
            "superstep 3: got {search_files}, not expected",
            "hint: search_web and search_files ran one after another, expected in parallel",
        ],
    ),
    "a loop one turn longer": (
        {"more_turns": 1},
        [
            "superstep 5: got {draft}, not expected",
            "superstep 6: got {review}, not expected",
            "hint: the loop draft -> review ran 2 times, expected 1",
        ],
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_eval_says_precisely_what_changed(
    change: str, references: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Terminal, JUnit XML and Markdown name the one difference of each run, and nothing else."""
    options, expected = CHANGES[change]
    traces, junit, markdown = tmp_path / "new.jsonl", tmp_path / "junit.xml", tmp_path / "summary.md"
    record(traces, build_agent(**options), ["easy"])
    capsys.readouterr()
    words = ["eval", str(traces), "--references", str(references)]
    assert main([*words, "--report", f"junit={junit}", "--report", f"markdown={markdown}"]) == 1
    printed = capsys.readouterr().out
    assert _unwrap(printed) == expected
    (failure,) = ET.fromstring(junit.read_text("utf-8")).iter("failure")  # noqa: S314 - our own file
    assert (failure.text or "").split("\n\n")[0].splitlines() == expected
    shown = re.search(r"```text\n(.*?)\n```", markdown.read_text("utf-8"), re.DOTALL)
    assert shown is not None
    assert shown[1].splitlines() == expected


def test_an_agent_that_did_not_change_passes(
    references: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same agent on another day: both cases pass, with no reason to read."""
    traces = tmp_path / "new.jsonl"
    record(traces, build_agent(), list(TURNS))
    capsys.readouterr()
    assert main(["eval", str(traces), "--references", str(references), "--require-all"]) == 0
    assert "2 passed, 0 failed, 0 not evaluated" in capsys.readouterr().out


def _unwrap(printed: str) -> list[str]:
    """Return the lines of the one comment in a report, those that were wrapped joined."""
    lines: list[str] = []
    for line in printed.splitlines():
        if line.startswith("      ") and lines:
            lines[-1] += f" {line.strip()}"
        elif line.startswith("    "):
            lines.append(line.strip())
    return lines
