"""A matcher is an evaluator of LangSmith: its own checks take it, and what it returns, without a network."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest
from langsmith import Client, aevaluate, evaluate
from langsmith.evaluation.evaluator import DynamicRunEvaluator, run_evaluator
from langsmith.schemas import Example, Run

from otel_traj import TrajectoryMatcher, graph_trajectory_match, graph_trajectory_match_async
from tests.match.judging import LONG, SHORTCUT, make_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from langsmith.evaluation import EvaluationResult

SERIAL = [*LONG[:2], ["node4"], ["node5"], *LONG[3:]]
"""The long path with its parallel nodes one after another."""
SCORES = ["fitness", "precision", "recall", "f1"]
BETA = "ignore:'upload_runs' parameter is in beta"


def make_example(reference: object, **inputs: object) -> Example:
    """Return an example of a data set that holds a reference."""
    outputs = {"steps": reference} if isinstance(reference, list) else reference
    return Example(
        id=uuid4(), dataset_id=UUID(int=1), inputs=inputs, outputs=outputs, created_at=datetime.now(UTC)
    )


def make_trace(outputs: dict[str, Any] | None) -> Run:
    """Return what LangSmith recorded of one call of the target."""
    return Run(
        id=uuid4(),
        name="target",
        start_time=datetime.now(UTC),
        run_type="chain",
        inputs={},
        outputs=outputs,
        trace_id=uuid4(),
        dotted_order="",
    )


def assess(evaluator: object, outputs: dict[str, Any] | None, reference: object) -> list[EvaluationResult]:
    """Return the results of an evaluator as LangSmith wraps, calls and checks it."""
    wrapped = run_evaluator(evaluator)  # type: ignore[arg-type] # the async twin is taken, its type is not
    assert isinstance(wrapped, DynamicRunEvaluator)
    trace, example = make_trace(outputs), make_example(reference)
    found = (
        asyncio.run(wrapped.aevaluate_run(trace, example))
        if wrapped.is_async
        else wrapped.evaluate_run(trace, example)
    )
    return found["results"] if isinstance(found, dict) else [found]


EVALUATORS: list[object] = [
    pytest.param(TrajectoryMatcher(), id="matcher"),
    pytest.param(TrajectoryMatcher([LONG]), id="matcher with a reference"),
    pytest.param(TrajectoryMatcher().scores, id="scores"),
    pytest.param(graph_trajectory_match, id="function"),
    pytest.param(graph_trajectory_match_async, id="async function"),
]
evaluators = pytest.mark.parametrize("evaluator", EVALUATORS)


@evaluators
@pytest.mark.parametrize(
    "wrap",
    [
        lambda steps: {"output": steps},
        lambda steps: {"output": [{"inputs": None, "results": None, "steps": steps}]},
        lambda steps: {"steps": steps},
        lambda steps: {"runs": [{"steps": steps}]},
        lambda steps: {"runs": [make_run([["__start__"], *steps])]},
        lambda steps: {"outputs": {"inputs": [], "results": [], "steps": steps}},
        lambda steps: {"output": make_run(steps)},
    ],
)
def test_every_form_of_outputs_is_judged(
    evaluator: object, wrap: Callable[[list[list[str]]], dict[str, Any]]
) -> None:
    """Whatever a target returned and LangSmith wrapped, a right run scores True and a serialised one False."""
    for steps, passes in ((LONG, True), (SERIAL, False)):
        results = assess(evaluator, wrap(steps), {"steps": LONG})
        assert (results[0].key, results[0].score) == ("graph_trajectory_match", passes)
        assert [each.key for each in results[1:]] in (
            [],
            [f"graph_trajectory_match_{name}" for name in SCORES],
        )


@evaluators
def test_references_come_wrapped_too(evaluator: object) -> None:
    """The outputs of an example may be steps, `output`, `runs` or `outputs`, as a data set stores them."""
    for reference in ({"output": LONG}, {"runs": [{"steps": LONG}]}, {"outputs": {"steps": LONG}}):
        assert assess(evaluator, {"output": LONG}, reference)[0].score is True


def test_a_result_keeps_its_four_parts() -> None:
    """Key, score, comment and metadata arrive as they were given, and nothing beside them is set."""
    given = graph_trajectory_match(outputs=SERIAL, reference_outputs=LONG)
    (result,) = assess(graph_trajectory_match, {"output": SERIAL}, LONG)
    kept = result.model_dump(exclude_defaults=True, exclude={"source_run_id", "target_run_id"})
    assert kept == json.loads(json.dumps(given))
    assert set(given) == {"key", "score", "comment", "metadata"}


def test_what_could_not_be_judged_has_no_score() -> None:
    """An incomplete run is a result without a score, with the reason as comment; nothing is refused."""
    run = make_run([["__start__"], *LONG], problems=["root_missing"], complete=False)
    (result,) = assess(TrajectoryMatcher(), {"output": run}, LONG)
    assert result.score is None
    assert "root_missing" in (result.comment or "")


def test_results_are_a_result_of_their_own() -> None:
    """Where results are compared, LangSmith gets two results of one call."""
    matcher = TrajectoryMatcher(results="exact")
    found = assess(matcher, {"steps": LONG, "results": {"a": 1}}, {"steps": LONG, "results": {"a": 2}})
    assert [(each.key, each.score) for each in found] == [
        ("graph_trajectory_match", True),
        ("graph_trajectory_match_results", False),
    ]


def test_a_matcher_is_shown_by_its_key() -> None:
    """LangSmith names the trace of an evaluator; two matchers are told apart by their keys."""
    matchers = [TrajectoryMatcher(key="path"), TrajectoryMatcher(key="tools", level="tools")]
    wrapped = [run_evaluator(matcher) for matcher in matchers]  # type: ignore[arg-type] # as above
    assert [repr(each) for each in wrapped] == [
        "<DynamicRunEvaluator path>",
        "<DynamicRunEvaluator tools>",
    ]
    assert f"{TrajectoryMatcher.__name__}" == "TrajectoryMatcher"


def answer(inputs: dict[str, Any]) -> list[list[str]]:
    """Run the agent under test."""
    return LONG if inputs["path"] == "long" else SHORTCUT


async def answer_async(inputs: dict[str, Any]) -> dict[str, Any]:
    """Run the agent under test, awaited."""
    return {"steps": answer(inputs)}


def is_short(example: Example) -> bool:
    """Whether an example makes the agent take the short path."""
    return example.inputs == {"path": "short"}


EXAMPLES = [make_example(LONG, path="long"), make_example(LONG, path="short")]
EXPECTED = [("graph_trajectory_match", True), ("graph_trajectory_match", False)]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    """A client of LangSmith that reaches nobody."""
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    return Client(api_url="http://127.0.0.1:9", api_key="none", auto_batch_tracing=False)


@pytest.mark.filterwarnings(BETA)
def test_evaluate_takes_matchers(client: Client) -> None:
    """`evaluate` runs a target over examples and scores it with all forms of the matcher."""
    forms: list[Any] = [TrajectoryMatcher(), TrajectoryMatcher([LONG]), TrajectoryMatcher().scores]
    forms.append(graph_trajectory_match)
    target: Any = answer  # LangSmith wraps what is no mapping, whatever its types say
    rows = evaluate(
        target,
        data=EXAMPLES,
        evaluators=forms,
        client=client,
        upload_results=False,
    )
    for row in rows:
        found = [(each.key, each.score) for each in row["evaluation_results"]["results"]]
        wanted = EXPECTED[is_short(row["example"])]
        assert found.count(wanted) == 4
        assert len(found) == 4 + len(SCORES)


@pytest.mark.filterwarnings(BETA)
def test_aevaluate_takes_matchers(client: Client) -> None:
    """`aevaluate` does the same, and awaits the async twin."""

    async def collect() -> list[tuple[bool, list[tuple[str, object]]]]:
        forms: list[Any] = [
            TrajectoryMatcher(),
            TrajectoryMatcher([LONG]).scores,
            graph_trajectory_match_async,
        ]
        rows = await aevaluate(
            answer_async,
            data=EXAMPLES,
            evaluators=forms,
            client=client,
            upload_results=False,
        )
        return [
            (
                is_short(row["example"]),
                [(each.key, each.score) for each in row["evaluation_results"]["results"]],
            )
            async for row in rows
        ]

    for short, found in asyncio.run(collect()):
        assert found.count(EXPECTED[short]) == 3
        assert len(found) == 3 + len(SCORES)
