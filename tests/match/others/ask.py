"""Ask agentevals and pydantic-evals: cases as JSON on stdin, their answers on stdout.

Runs where only they are installed, so they are loaded by name. Of theirs only public functions are called.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from datetime import UTC, datetime, timedelta
from importlib import import_module
from itertools import permutations
from typing import TYPE_CHECKING, Any

from tests.match.others.cases import CALLABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.match.others.cases import (
        ArgumentsAnswer,
        ArgumentsCase,
        Call,
        GraphCase,
        Message,
        MessagesAnswer,
        MessagesCase,
        MessagesMode,
        ToolsAnswer,
        ToolsCase,
    )

__all__ = ["ASK", "main"]

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def ask_graph(case: GraphCase) -> bool:
    """Return what agentevals says of flattened runs."""
    strict = import_module("agentevals.graph_trajectory.strict").graph_trajectory_strict_match
    expected, actual = (
        [[name for step in run for name in step] for run in case[side]] for side in ("expected", "actual")
    )
    steps: list[Any] = list(map(tuple, actual)) if case.get("is_tuple") else actual
    verdict: bool = strict(
        outputs={"inputs": None, "results": [], "steps": steps},
        reference_outputs={"inputs": None, "results": [], "steps": expected},
    )["score"]
    return verdict


def ask_messages(case: MessagesCase) -> MessagesAnswer:
    """Return what agentevals says of two conversations."""
    try:
        verdict = _match_messages(case, case["mode"], case["expected"], case["actual"])
    except ValueError as error:
        return {"verdict": type(error).__name__, "best": False}
    modes: list[MessagesMode] = ["superset", "subset"] if case["mode"] == "unordered" else [case["mode"]]
    return {"verdict": verdict, "best": verdict or all(_match_best(case, mode) for mode in modes)}


def ask_tools(case: ToolsCase) -> ToolsAnswer:
    """Return what pydantic-evals says of a sequence of tools."""
    evaluators = import_module("pydantic_evals.evaluators")
    calls = None if case["actual"] is None else [call for step in case["actual"] for call in step]
    context = _make_context(None if calls is None else [(tool, {}, failed) for tool, failed in calls])

    def match(order: str) -> Any:  # noqa: ANN401 - a foreign value
        evaluator = evaluators.TrajectoryMatch(case["expected"], order=order, include_failed=True)
        return evaluator.evaluate(context).value

    def correct(**options: bool) -> Any:  # noqa: ANN401 - a foreign value
        return evaluators.ToolCorrectness(case["expected"], **options).evaluate(context).value

    return {
        "exact": match("exact"),
        "in_order": match("in_order"),
        "any_order": match("any_order"),
        "only": correct(include_failed=True),
        "at_least": correct(include_failed=True, allow_extra=True),
        "only_by_default": correct(),
    }


def ask_arguments(case: ArgumentsCase) -> ArgumentsAnswer:
    """Return what pydantic-evals says of a call's arguments."""
    evaluator = import_module("pydantic_evals.evaluators").ArgumentCorrectness(
        case["tool"], case["args"], match_mode=case["mode"], occurrence=case["occurrence"]
    )
    context = _make_context((tool, args, False) for tool, args in case["actual"])
    verdict: bool = evaluator.evaluate(context).value
    return verdict


ASK = {"graph": ask_graph, "messages": ask_messages, "tools": ask_tools, "arguments": ask_arguments}
"""What asks about a kind of case."""


def main() -> int:
    """Answer each case; the answers stand in the places of the cases."""
    cases: list[tuple[str, Any]] = json.load(sys.stdin)
    asks: dict[str, Any] = dict(ASK)
    json.dump([asks[kind](case) for kind, case in cases], sys.stdout)
    return 0


def _match_messages(
    case: MessagesCase, mode: MessagesMode, expected: Iterable[Message], actual: Iterable[Message]
) -> bool:
    overrides = {
        tool: CALLABLES.get(rule, rule) if isinstance(rule, str) else rule
        for tool, rule in case["overrides"].items()
    }
    evaluator = import_module("agentevals.trajectory.match").create_trajectory_match_evaluator(
        trajectory_match_mode=mode,
        tool_args_match_mode=case["args"],
        tool_args_match_overrides=overrides,
    )
    answer: bool = evaluator(outputs=_write(actual), reference_outputs=_write(expected))["score"]
    return answer


def _match_best(case: MessagesCase, mode: MessagesMode) -> bool:
    """Return whether it passes with the calls of the side that is searched in some other order.

    `superset` searches the actual calls for each expected one, the others the expected calls; strict message by
    message.
    """
    expected, actual = case["expected"], case["actual"]
    if mode == "superset":
        return any(_match_messages(case, mode, expected, turned) for turned in _turn_all(actual))
    turn = _turn_each if mode == "strict" else _turn_all
    return any(_match_messages(case, mode, turned, actual) for turned in turn(expected))


def _turn_all(messages: list[Message]) -> Iterator[list[Message]]:
    """Yield the messages with their calls in every order, whatever message they stand in."""
    calls = [call for message in messages if isinstance(message, list) for call in message]
    for turned in permutations(calls):
        left = deque(turned)
        yield [
            [left.popleft() for _ in message] if isinstance(message, list) else message
            for message in messages
        ]


def _turn_each(messages: list[Message]) -> Iterator[list[Message]]:
    """Yield the messages with the calls of each in every order."""
    if not messages:
        yield []
        return
    first, *rest = messages
    heads: list[Message] = list(map(list, permutations(first))) if isinstance(first, list) else [first]
    for tail in _turn_each(rest):
        yield from ([head, *tail] for head in heads)


def _write(messages: Iterable[Message]) -> list[dict[str, object]]:
    return [
        {"role": "assistant", "content": "", "tool_calls": list(map(_write_call, message))}
        if isinstance(message, list)
        else {"role": message, "content": "words", **({"tool_call_id": "1"} if message == "tool" else {})}
        for message in messages
    ]


def _write_call(call: Call) -> dict[str, object]:
    tool, args = call
    text = args if isinstance(args, str) else json.dumps(args)
    return {"id": "1", "type": "function", "function": {"name": tool, "arguments": text}}


def _make_context(calls: Iterable[tuple[str, Any, bool]] | None) -> object:
    """Make what an evaluator is given: one span for each call, in turn; a failed one has an error."""
    otel = import_module("pydantic_evals.otel")
    tree = otel.SpanTreeRecordingError("not recorded") if calls is None else otel.SpanTree()
    if calls is not None:
        tree.add_spans(
            [
                otel.SpanNode(
                    name=f"execute_tool {tool}",
                    trace_id=1,
                    span_id=number,
                    parent_span_id=None,
                    start_timestamp=_BEGIN + timedelta(seconds=number),
                    end_timestamp=_BEGIN + timedelta(seconds=number + 1),
                    attributes={"gen_ai.tool.name": tool, "gen_ai.tool.call.arguments": json.dumps(args)},
                    status="error" if failed else "unset",
                )
                for number, (tool, args, failed) in enumerate(calls, start=1)
            ]
        )
    context: object = import_module("pydantic_evals.evaluators").EvaluatorContext(
        name=None,
        inputs=None,
        metadata=None,
        expected_output=None,
        output=None,
        duration=1.0,
        _span_tree=tree,
        attributes={},
        metrics={},
    )
    return context


if __name__ == "__main__":
    sys.exit(main())
