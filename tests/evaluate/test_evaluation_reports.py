"""Faults that people reported of other tools that judge agents, from end to end; each is named by its row.

What is one comparison's own is tested beside the matching engine, under the same names; here agents run, their spans
are written, and the command line judges what it reads. Rows on what is read and written stand in
`test_evaluation_data_reports`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from langgraph.graph import END
from langgraph.types import Command, Send, interrupt

from otel_traj import evaluate_runs, extract_trajectory_from_snapshots, read_runs
from otel_traj.record.samples import build_seven_nodes, build_tool_agent
from tests.evaluate.end_to_end import judge, record
from tests.evaluate.judging.threads import record_turn
from tests.oracles import ALL
from tests.otlp_lines import write_lines
from tests.record.graphs import State, build_chain, mark, new_chain

if TYPE_CHECKING:
    from pathlib import Path

    from tests.oracles.scenario import Scenario

ASK: Final[Any] = {"messages": [("user", "Do I need a coat?")]}


def build_fan_out(*, in_parallel: bool) -> Any:  # noqa: ANN401 - LangGraph's own type
    """Return a graph that searches twice, at once or one after the other."""
    builder = new_chain("plan")
    builder.add_node("search", mark("search"))
    if in_parallel:
        builder.add_conditional_edges("plan", lambda _: [Send("search", {}), Send("search", {})], ["search"])
        return builder.compile(name="research")
    builder.add_edge("plan", "search")
    builder.add_conditional_edges(
        "search", lambda state: "search" if state["nodes"].count("search") < 2 else END, ["search", END]
    )
    return builder.compile(name="research")


@pytest.mark.parametrize(
    ("mode", "nodes", "code"),
    [
        ("exact", "[node4, node5]", 0),
        ("exact", "[node5, node4]", 1),
        ("unordered", "[node5, node4]", 0),
        ("unordered", "[node4]", 1),
        ("subset", "[node4, node5, other]", 0),
        ("subset", "[node4]", 1),
        ("superset", "[node4]", 0),
        ("superset", "[node4, node5, other]", 1),
    ],
)
def test_e01_recorded_supersteps_are_judged_in_every_mode(
    tmp_path: Path, mode: str, nodes: str, code: int
) -> None:
    """langchain-ai/agentevals#49: a mode for graph trajectories, of a reference file, is that of tool calls."""
    source = record(tmp_path, build_seven_nodes(), {"shortcut": False, "nodes": []})
    steps = f"[node1, node3, {{nodes: {nodes}, mode: {mode}}}, node6, node7]"
    assert judge(source, f"{{name: r, steps: {steps}}}")[0] == code


def test_e02_a_fail_names_the_superstep_and_marks_the_difference(tmp_path: Path) -> None:
    """langchain-ai/agentevals#66: a fail says where, and what was expected and got; a report aligns them."""
    source = record(tmp_path, build_chain("a", "c"))
    report = tmp_path / "report.md"
    code, said, _ = judge(source, "{name: r, steps: [a, b]}", options=("--report", f"markdown={report}"))
    assert (code, said) == (1, [("fail", "superstep 2: expected {b}, got {c}; missing b; extra c")])
    assert "    1  a\n-   2  b\n+   2  c\n" in report.read_text("utf-8")


@pytest.mark.parametrize(
    "scenario",
    [pytest.param(each, id=str(each.number)) for each in ALL if "sync" in each.modes and not each.missing],
)
def test_e03_no_private_field_of_a_checkpoint_is_read(scenario: Scenario) -> None:
    """langchain-ai/agentevals#52: what langgraph drops from or adds to a checkpoint's metadata changes no trajectory.

    The same scenarios run on the oldest supported langgraph and on the newest.
    """
    driven = scenario.run([])
    snapshots = list(driven.graph.get_state_history({"configurable": {"thread_id": driven.thread_id}}))
    bare = [
        each._replace(metadata=None if each.metadata is None else {"source": each.metadata["source"]})
        for each in snapshots
    ]
    assert extract_trajectory_from_snapshots(bare) == extract_trajectory_from_snapshots(snapshots)
    assert not any("writes" in (each.metadata or {}) for each in bare)


def test_e04_turns_of_a_conversation_are_paired(tmp_path: Path) -> None:
    """langchain-ai/agentevals#30: three turns, one asked back and answered, are judged turn by turn, not flattened."""

    def ask(state: State) -> State:
        return {"nodes": ["ask"], "value": interrupt("sure?") if state.get("value") == "ask" else None}

    graph = build_chain("a", "ask", saved=True, graph_name="talk", ask=ask)
    source = record(tmp_path, graph, {}, {"value": "ask"}, Command(resume="yes"), {"value": "no"})
    plain = "{name: plain, applies_to: {case: none}, steps: [a, ask]}"
    asked = "{name: asked, applies_to: {case: none}, steps: [a, ask, __interrupt__]}"

    def talk(runs: str) -> str:
        return f"{{name: talk, applies_to: {{graph: talk}}, thread: {{runs: {runs}}}}}"

    assert judge(source, plain, asked, talk("[plain, asked, plain]"))[0] == 0
    code, said, _ = judge(source, plain, asked, talk("[plain, asked]"))
    assert (code, said) == (1, [("fail", "expected 2 runs, got 3\nrun 2 was not expected")])


def test_e05_two_at_once_are_not_two_in_a_row(tmp_path: Path) -> None:
    """promptfoo/promptfoo#9455: grouping is judged, both ways round, and a mode ignores it."""
    at_once, in_a_row = "[plan, [search, search]]", "[plan, search, search]"
    for in_parallel, own, other in ((True, at_once, in_a_row), (False, in_a_row, at_once)):
        (tmp_path / "traces.jsonl").unlink(missing_ok=True)
        source = record(tmp_path, build_fan_out(in_parallel=in_parallel))
        assert judge(source, f"{{name: r, steps: {own}}}")[0] == 0
        assert judge(source, f"{{name: r, steps: {other}}}")[0] == 1
        assert judge(source, f"{{name: r, steps: {other}, trajectory_mode: flat_unordered}}")[0] == 0


def test_e06_an_absent_trace_has_its_own_code_and_words(tmp_path: Path) -> None:
    """promptfoo/promptfoo#5192: nothing to look at is 2, also where the reference would have failed or passed."""
    source = record(tmp_path, build_chain("a"))
    [trace_id] = next(iter(read_runs(source))).trace_ids
    for steps in ("[a]", "[b]"):
        code, said, _ = judge(source, f"{{name: r, steps: {steps}}}", options=("--trace", "f" * 32))
        assert (code, said) == (2, [])
    assert judge(source, "{name: r, steps: [a]}", options=("--trace", trace_id))[0] == 0
    assert judge(source, "{name: r, steps: [b]}", options=("--trace", trace_id))[0] == 1


def test_e08_and_e09_arguments_count_as_far_as_a_reference_says(tmp_path: Path) -> None:
    """google/adk-python#1591, #2757: arguments are left alone unless given; then some keys may be enough."""
    source = record(tmp_path, build_tool_agent(), ASK, content=True)
    calls = "get_local_time, {tool: get_weather, args: %s, args_mode: %s}"
    for expected, code in (
        ("[get_weather, get_local_time]", 0),
        (f"[{calls % ('{city: Oslo}', 'exact')}]", 0),
        (f"[{calls % ('{}', 'superset')}]", 0),
        (f"[{calls % ('{}', 'exact')}]", 1),
        (f"[{calls % ('{city: Rome}', 'superset')}]", 1),
    ):
        assert judge(source, f"{{name: r, level: tools, steps: [{expected}]}}")[0] == code, expected


def test_e11_a_report_grades_what_a_bool_cant(tmp_path: Path) -> None:
    """google/adk-python#5306: three of four right is told from none of four."""
    source = record(tmp_path, build_chain("a", "b", "c"))
    grades = [
        judge(source, f"{{name: r, steps: {steps}}}")[2][0] for steps in ("[a, b, c, d]", "[w, x, y, z]")
    ]
    assert [(each["precision"], each["recall"], each["f1"]) for each in grades] == [
        (1.0, 0.75, 0.857),
        (0.0, 0.0, 0.0),
    ]


def test_e14_where_nothing_ran_or_nothing_is_said_no_number_is_made_up(tmp_path: Path) -> None:
    """google/adk-python#3439: a run without a node, and an evaluator without an answer, have words and no score."""
    source = str(write_lines(tmp_path / "traces.jsonl", record_turn("empty")))
    code, said, _ = judge(source, "{name: r, steps: [ask]}", options=("--min-evaluated", "1"))
    assert (code, said) == (1, [("fail", "superstep 1: expected {ask}, got nothing; missing ask")])
    report = evaluate_runs(source, evaluators=[lambda run: None], min_evaluated=1)  # noqa: ARG005
    [verdict] = report.verdicts
    assert (verdict.verdict, verdict.score, report.exit_code) == ("not_evaluated", None, 1)
    assert "returned None" in (verdict.comment or "")
    assert report.exit_reasons[0] == "0 runs judged, at least 1 wanted (min-evaluated)"


def test_e15_tools_of_an_inner_agent_are_judged(tmp_path: Path) -> None:
    """google/adk-python#3493: what an agent inside an agent called is there, by its path."""
    builder = new_chain("supervisor", "researcher", researcher=build_tool_agent())
    source = record(tmp_path, builder.compile(name="outer"), ASK)
    steps = "[supervisor, researcher, researcher/model, researcher/tools, researcher/model]"
    assert judge(source, f"{{name: r, depth: 1, steps: {steps}}}")[0] == 0
    tools = "[[researcher/get_weather, researcher/get_local_time]]"
    assert judge(source, f"{{name: r, level: tools, depth: 1, steps: {tools}}}")[0] == 0
    assert judge(source, "{name: r, level: tools, depth: 1, steps: [researcher/get_weather]}")[0] == 1
    assert judge(source, "{name: r, steps: [supervisor, researcher]}")[0] == 0


@pytest.mark.parametrize(("rounds", "code"), [(1, 0), (3, 0), (4, 1)])
def test_e16_a_loop_that_turns_too_often_fails(tmp_path: Path, rounds: int, code: int) -> None:
    """google/adk-python#931: by a repetition with bounds, by a number of visits, and by a number of supersteps."""
    builder = new_chain("a", "b")
    builder.add_conditional_edges(
        "b", lambda state: "a" if state["nodes"].count("b") < rounds else END, ["a", END]
    )
    source = record(tmp_path, builder.compile(name="loop"))
    for expected in (
        "steps: [{repeat: [a, b], max: 3}]",
        "rules: {max_visits: {b: 3}}",
        "rules: {max_supersteps: 6}",
    ):
        assert judge(source, f"{{name: r, {expected}}}")[0] == code, expected


def test_e17_the_message_says_which_side_has_more(tmp_path: Path) -> None:
    """EntityProcess/agentv#294: with either name of either direction, what ran and was not expected is said so."""
    source = record(tmp_path, build_chain("a", "b", "c"))
    for mode in ("subset", "superset", "at_most", "at_least"):
        code, said, _ = judge(source, f"{{name: r, step_mode: {mode}, steps: [a, b]}}")
        assert (code, said) == (1, [("fail", "superstep 3: got {c}, not expected")])


@pytest.mark.parametrize(("order", "code"), [(("check", "log", "create"), 0), (("create", "check"), 1)])
def test_e19_one_node_before_another(tmp_path: Path, order: tuple[str, ...], code: int) -> None:
    """Azure/azure-sdk-tools#15832: with whatever between, as a mode, with gaps, and as a rule."""
    source = record(tmp_path, build_chain(*order))
    for expected in (
        "trajectory_mode: subsequence, steps: [check, create]",
        "steps: [{gap: true}, check, {gap: true}, create, {gap: true}]",
        "rules: {required: [create], before: [[check, create]]}",
    ):
        assert judge(source, f"{{name: r, {expected}}}")[0] == code, expected
