"""Real runs, recorded by our handler and read back, judged at their levels and depths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.tools import tool

from otel_traj import read_runs
from otel_traj.match import Glob, Tool, graph_trajectory_match
from otel_traj.record import samples
from tests.match.judging import decide, explained
from tests.record.graphs import State, new_chain
from tests.record.recording import Recording

if TYPE_CHECKING:
    from otel_traj import Run

OSLO = {"city": "Oslo"}
BOTH_TOOLS = ["get_local_time", "get_weather"]
NOT_RECORDED = "arguments of tool calls were not recorded, or not whole: record content (content=True)"


def record(graph: Any, inputs: object, **options: Any) -> Run:  # noqa: ANN401 - LangGraph's and the handler's
    """Run a graph once, and read the run back."""
    recording = Recording(**options)
    graph.invoke(inputs, recording.config())
    [run] = read_runs(recording.exporter)
    assert run.complete, run.problems
    return run


@pytest.fixture(scope="module", params=[True, False], ids=["content", "no content"])
def agent_run(request: pytest.FixtureRequest) -> tuple[Run, bool]:
    """A ReAct agent that calls two tools at once, recorded with content and without."""
    has_content: bool = request.param
    return record(
        samples.build_tool_agent(), {"messages": [("user", "Oslo?")]}, content=has_content
    ), has_content


@tool
def look(at: str) -> str:
    """Look at something."""
    return at


def use_look(_state: State) -> State:
    """Call the tool, without a model."""
    return {"nodes": [look.invoke({"at": "sky"})]}


@pytest.fixture(scope="module")
def nested_run() -> Run:
    """Three graphs in one another, with a tool in the innermost and one in the outermost."""
    leaf = new_chain("z1", "z2", z2=use_look).compile()
    middle = new_chain("y1", "y2", y2=leaf).compile()
    return record(new_chain("x1", "x2", "x3", x2=middle, x3=use_look).compile(), {})


def test_nodes_are_the_level_unless_said_otherwise(agent_run: tuple[Run, bool]) -> None:
    """The loop of an agent is model, tools, model."""
    run, _ = agent_run
    assert decide(run, [["model"], ["tools"], ["model"]]).score is True
    assert decide(run, [["model"], ["model"]]).score is False


def test_tools_are_judged_by_superstep(agent_run: tuple[Run, bool]) -> None:
    """At level tools, parallel calls are one superstep, in any order; one after the other is something else."""
    run, _ = agent_run
    assert decide(run, [BOTH_TOOLS[::-1]], level="tools").score is True
    apart = decide(run, [BOTH_TOOLS[:1], BOTH_TOOLS[1:]], level="tools")
    assert apart.comment is not None
    assert apart.comment.split("\n")[-1] == (
        "hint: get_local_time and get_weather ran in parallel, expected one after another"
    )
    assert decide(run, {"rules": {"forbidden": ["get_weather"]}}, level="tools").comment == (
        "rule forbidden: get_weather ran in superstep 1"
    )


def test_both_levels_stand_side_by_side(agent_run: tuple[Run, bool]) -> None:
    """At level both, tools read node>tool; a Tool is known by its bare name as well."""
    run, _ = agent_run
    written = ["tools", "tools>get_local_time", "tools>get_weather"]
    assert decide(run, [["model"], written, ["model"]], level="both").score is True
    assert decide(
        run, [["model"], ["tools", Tool("get_local_time"), Glob("*weather")], ["model"]], level="both"
    ).score
    bare = decide(run, [["model"], ["tools", *BOTH_TOOLS], ["model"]], level="both")
    assert bare.score is False


def test_an_op_points_at_the_span_of_the_tool(agent_run: tuple[Run, bool]) -> None:
    """The extra tool call is a link away."""
    run, _ = agent_run
    result = graph_trajectory_match(outputs=run, reference_outputs=[["get_local_time"]], level="tools")
    [op] = explained(result)["ops"]
    [call] = [each for each in run.tool_calls if each.name == "get_weather"]
    assert (op["op"], op["extra"], op["span_ids"]) == ("extra_nodes", ["get_weather"], [call.span_id])
    assert explained(result)["actual"] == [[BOTH_TOOLS]]


def test_arguments_decide_where_they_were_recorded(agent_run: tuple[Run, bool]) -> None:
    """With content, arguments pass or fail; without, a verdict that needs them is not evaluated."""
    run, has_content = agent_run
    right = decide(run, [[Tool("get_weather", OSLO), "get_local_time"]], level="tools")
    wrong = decide(run, [[Tool("get_weather", {"city": "Rome"}), "get_local_time"]], level="tools")
    if has_content:
        assert right.score is True
        assert wrong.comment is not None
        assert wrong.comment.endswith("arguments of get_weather: at city: differs")
        assert "Oslo" not in wrong.comment
    else:
        assert (right.score, right.comment) == (wrong.score, wrong.comment) == (None, NOT_RECORDED)
    other_tool = decide(run, [[Tool("get_weather", OSLO), "book"]], level="tools")
    assert other_tool.score is False


def test_a_run_is_its_own_reference(agent_run: tuple[Run, bool], nested_run: Run) -> None:
    """At each level and depth a run meets itself, its arguments too where they were recorded."""
    run, has_content = agent_run
    for level in ("nodes", "tools", "both"):
        for depth in (0, 1, None):
            assert decide(nested_run, nested_run, level=level, depth=depth).score is True
        assert decide(run, run, level=level).score is True
        if level != "nodes":
            assert decide(run, run, level=level, args="exact").score is (True if has_content else None)


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (0, [["x1"], ["x2"], ["x3"]]),
        (1, [["x1"], ["x2"], ["x2/y1"], ["x2/y2"], ["x3"]]),
        (None, [["x1"], ["x2"], ["x2/y1"], ["x2/y2"], ["x2/y2/z1"], ["x2/y2/z2"], ["x3"]]),
    ],
)
def test_each_depth_is_judged_by_its_own_reference(
    nested_run: Run, depth: int | None, expected: list[list[str]]
) -> None:
    """What lies deeper is compared where it is asked for, and numbered as it is listed."""
    assert decide(nested_run, expected, depth=depth).score is True
    outcome = decide(nested_run, [*expected[:-1], ["y"]], depth=depth)
    assert outcome.comment == f"superstep {len(expected)}: expected {{y}}, got {{x3}}; missing y; extra x3"


def test_tools_of_subgraphs(nested_run: Run) -> None:
    """At depth 0 only the graph's own tools are there; deeper ones have their place before the name."""
    assert decide(nested_run, [["look"]], level="tools").score is True
    assert decide(nested_run, [["x2/y2/look"], ["look"]], level="tools", depth=None).score is True
    assert decide(nested_run, [[Glob("*look")], [Tool("look")]], level="tools", depth=None).score is True


def test_tools_that_were_left_out_are_not_evaluated() -> None:
    """A handler without tool spans leaves their level unknown, and says so; nodes are judged all the same."""
    run = record(new_chain("a", a=use_look).compile(), {}, tools=False)
    outcome = decide(run, [["look"]], level="tools")
    assert (outcome.verdict, outcome.metadata and outcome.metadata["reason"]) == (
        "not_evaluated",
        "incomplete",
    )
    assert outcome.comment is not None
    assert "leave out tool calls" in outcome.comment
    assert decide(run, [["a"]]).score is True


def test_what_the_model_chose(agent_run: tuple[Run, bool]) -> None:
    """Calls of a recorded run are counted from 1; names are known without content, arguments with it."""
    run, has_content = agent_run
    reference = {"model_calls": [{"nth": 1, "chooses": BOTH_TOOLS}, {"nth": 2, "chooses": []}]}
    names = decide(run, reference)
    calls = [{"tool": name, "args": OSLO} for name in BOTH_TOOLS]
    with_arguments = decide(run, {"model_calls": [{"nth": 1, "chooses": calls}]})
    third = decide(run, {"model_calls": [{"nth": 3, "chooses": []}]})
    assert third.comment == "model call 3: expected {}, the run made 2 model calls"
    if has_content:
        assert (names.score, with_arguments.score) == (True, True)
    else:
        assert names.score is not False
        assert with_arguments.score is None
