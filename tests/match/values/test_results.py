from __future__ import annotations

import dataclasses
import datetime as dt
import json
import threading
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, get_args

import pytest
from hypothesis import given
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from pydantic import BaseModel

from otel_traj import extract_trajectory, read_runs
from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.values.results import ResultsReason, ResultsRule, compare_results, read_results_mode
from otel_traj.match.values.values import ValueMode, compare_values
from otel_traj.rendering import CUT_MARK, render
from tests.match.json_values import MODES, PLANTED, close_json, value_modes
from tests.record.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Callable


class Place(BaseModel):
    """A model in the state."""

    name: str = "Rome"
    tags: set[str] = {"b", "a"}


@dataclasses.dataclass
class Trip:
    """A dataclass in the state."""

    days: tuple[int, ...] = (1, 2)
    guests: frozenset[str] = frozenset({"bob", "ann"})


class State(TypedDict, total=False):
    """Messages, and a value of any kind."""

    messages: Annotated[list[AnyMessage], add_messages]
    value: Any


VALUES: dict[str, Callable[[], object]] = {
    "sets": lambda: {"names": {"b", "a", "c"}, "numbers": [{3, 1, 2}, frozenset({9, 8})]},
    "tuples": lambda: (1, (2.0, "x"), []),
    "model": Place,
    "dataclass": Trip,
    "numbers": lambda: [1, 1.0, 1e300, float("nan"), float("inf"), True, None],
    "dates": lambda: [dt.datetime(2026, 1, 2, tzinfo=dt.UTC), dt.date(2026, 1, 2), dt.timedelta(hours=1)],
    "bytes": lambda: b"\x00\xff",
    "keys": lambda: {1: "a", "b": {None: 2}},
    "message": lambda: {"last": AIMessage("x", id="i"), "all": [ToolMessage("y", tool_call_id="c")]},
}
"""What states hold, made anew by each call."""


def run(value: object) -> tuple[object, object]:
    """Run a graph that ends with a value, and return its results by history and by spans."""

    def answer(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        said = AIMessage("hi", tool_calls=[{"name": "f", "args": {"x": 1}, "id": "random"}])
        return {"messages": [said], "value": value}

    builder = StateGraph(State)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    graph = builder.compile(checkpointer=InMemorySaver())
    recording = Recording(content=True)
    graph.invoke({"messages": [HumanMessage("q")]}, recording.config("t"))
    (trajectory,) = extract_trajectory(graph, {"configurable": {"thread_id": "t"}})
    (recorded,) = read_runs(recording.exporter)
    return trajectory["results"], recorded.results


@pytest.mark.filterwarnings("ignore:.*[Dd]eserializ")
@pytest.mark.parametrize("kind", VALUES)
def test_history_and_spans_and_live_values_compare_equal(kind: str) -> None:
    """Wherever the results of a run were read, and whatever its state held, they meet what the program says."""
    from_history, from_spans = run(VALUES[kind]())
    live = {
        "messages": [
            HumanMessage("q"),
            AIMessage("hi", tool_calls=[{"name": "f", "args": {"x": 1}, "id": "c"}]),
        ],
        "value": VALUES[kind](),
    }
    written = json.loads(json.dumps(render(live)))
    for mode in MODES:
        for actual in (from_history, from_spans):
            for expected in (from_history, from_spans, live, written):
                verdict = compare_results(actual, expected, mode)
                assert (verdict.score, verdict.comment) == (True, None)
            assert compare_results(actual, {**live, "value": "else"}, mode).score is False


@pytest.mark.parametrize(
    ("mode", "actual", "expected", "comment"),
    [
        ("exact", {"a": 1}, {"a": 2}, "results: at a: differs"),
        ("exact", {"a": 1, "b": 1}, {"a": 1}, "results: extra key b"),
        ("superset", {"a": 1, "b": 1}, {"a": 1}, None),
        ("superset", {"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, None),
        ("superset", {"a": 1}, {"a": 1, "b": 1}, "results: missing key b"),
        ("subset", {"a": 1}, {"a": 1, "b": 1}, None),
        ("subset", {"a": 1, "b": 1}, {"a": 1}, "results: extra key b"),
        ("exact", {}, {"a": 1}, "results: missing key a"),
        ("exact", "text", "text", None),
        ("exact", {"a": True}, {"a": 1}, "results: at a: expected number, got boolean"),
    ],
)
def test_modes(mode: ValueMode, actual: object, expected: object, comment: str | None) -> None:
    """Containment is recursive, the actual results against the expected ones."""
    verdict = compare_results(actual, expected, mode)
    assert (verdict.score, verdict.comment, verdict.reason) == (comment is None, comment, None)


def test_sets_compare_without_order_and_messages_without_ids() -> None:
    """Two sets of the same items are equal; messages differ by type, content and calls only."""
    assert compare_results({"s": {3, 1, 2}}, {"s": {2, 3, 1}}, "exact").score is True
    assert compare_results({"s": {3, 1}}, {"s": {3, 1, 2}}, "exact").score is False
    said = AIMessage("x", id="1", tool_calls=[{"name": "f", "args": {}, "id": "c1"}])
    assert compare_results(
        [said], [AIMessage("x", tool_calls=[{"name": "f", "args": {}, "id": "c2"}])], "exact"
    ).score
    assert compare_results(
        [said], [{"type": "ai", "tool_calls": [{"name": "f", "args": {}}]}], "superset"
    ).score
    for other in (
        HumanMessage("x"),
        AIMessage("y", tool_calls=said.tool_calls),
        AIMessage("x"),
        AIMessage("x", tool_calls=[{"name": "g", "args": {}, "id": "c1"}]),
        AIMessage("x", tool_calls=[{"name": "f", "args": {"a": 1}, "id": "c1"}]),
    ):
        assert compare_results([said], [other], "exact").score is False


@pytest.mark.parametrize("mode", [*MODES, lambda *_: True])
def test_results_that_were_not_recorded_are_not_evaluated(mode: ResultsRule) -> None:
    """None on the actual side is no result, whatever is expected; a run without results has `{}`."""
    for expected in (None, {}, {"a": 1}):
        verdict = compare_results(None, expected, mode)
        assert (verdict.score, verdict.reason) == (None, "not_recorded")
        assert verdict.comment is not None
        assert verdict.comment.startswith("results were not recorded: ")


def test_a_reference_without_results_is_not_evaluated() -> None:
    """Nothing was said of the results, so nothing is judged; a callable is asked all the same."""
    verdict = compare_results({}, None, "exact")
    assert (verdict.score, verdict.reason) == (None, "no_reference")
    assert compare_results({"a": 1}, None, lambda actual, _: actual["a"] == 1).score is True


@pytest.mark.parametrize("mode", MODES)
def test_what_can_not_be_seen_whole_is_not_evaluated(mode: ValueMode) -> None:
    """A cut on either side, or a value without a form, gives no verdict; a difference that is seen does."""
    cut = {"a": ["x", f"{CUT_MARK}3 items]"]}
    assert compare_results(cut, {"a": 1}, mode).reason == "cut"
    assert compare_results({"a": 1}, cut, mode).reason == "cut"
    big = {"a": list(range(60_000))}
    assert compare_results(big, big, mode).reason == "cut"
    lock = {"a": threading.Lock()}
    verdict = compare_results(lock, {"a": threading.Lock()}, mode)
    assert (verdict.score, verdict.reason) == (None, "no_form")
    assert compare_results({"a": 1}, lock, mode).score is False


def test_what_is_not_compared_needs_no_form() -> None:
    """A client in the state hinders no comparison of the rest."""
    assert compare_results({"a": 1, "client": threading.Lock()}, {"a": 1}, "superset").score is True
    assert compare_results({"a": 1}, {"a": 1, "client": threading.Lock()}, "subset").score is True


def test_callables_get_the_values_as_they_are() -> None:
    """Nothing is rendered for a callable; its text is the comment."""
    actual, expected = {"place": Place()}, {"s": {1}}
    assert compare_results(actual, expected, lambda *both: both == (actual, expected)).score is True
    verdict = compare_results(actual, expected, lambda *_: (False, "too\nhot"))
    assert (verdict.score, verdict.comment, verdict.reason) == (False, "results: too\\nhot", None)


def test_a_callable_that_breaks_is_not_evaluated() -> None:
    """An exception or no answer gives no verdict, and names the type alone."""

    def fail(*_: object) -> bool:
        raise KeyError(PLANTED)

    verdict = compare_results({}, {}, fail)
    assert (verdict.score, verdict.reason) == (None, "broken")
    assert verdict.comment == (
        "results: the callable raised KeyError, so nothing can be said. Mend it, or have it return False."
    )
    assert compare_results({}, {}, lambda *_: None).reason == "broken"  # type: ignore[arg-type]  # no answer


def test_modes_are_read() -> None:
    """The three modes and callables stay as they are, `ignore` is None."""

    def ask(actual: object, expected: object) -> bool:
        return actual == expected

    assert [read_results_mode(mode) for mode in (*MODES, ask, "ignore")] == [*MODES, ask, None]


@pytest.mark.parametrize("value", ["Exact", "", "unordered", None, True, 1, ["a"], {"mode": "exact"}])
def test_what_is_no_mode_is_refused(value: object) -> None:
    """A wrong word is a ValueError, a wrong type a TypeError; both list what is allowed."""
    error = TrajectoryValueError if isinstance(value, str) else TrajectoryTypeError
    with pytest.raises(
        error, match=r"^results is .*: .* Allowed: ignore, exact, subset, superset, or a callable"
    ):
        read_results_mode(value)


def test_an_asynchronous_callable_is_refused() -> None:
    """At construction."""

    async def wait(*_: object) -> bool:
        return True

    with pytest.raises(TrajectoryTypeError, match="results is an asynchronous function"):
        read_results_mode(wait)


@given(close_json, close_json, value_modes)
def test_comments_hold_no_content_and_are_bounded(actual: object, expected: object, mode: ValueMode) -> None:
    """A comment shows keys and types, and the verdict is that of the values; JSON changes nothing."""
    actual, expected = {"v": actual}, {"v": expected}
    verdict = compare_results(actual, expected, mode)
    assert verdict.score is (compare_values(actual, expected, mode) is None)
    assert compare_results(json.loads(json.dumps(actual)), expected, mode) == verdict
    assert PLANTED not in str(verdict.comment)


def test_every_comment_fits_an_attribute() -> None:
    """The longest comments are under 2,048 bytes: hostile keys, long texts, long names of types."""
    key = "\U000e0041" * 80
    hostile = compare_results({key: {key: {key: 1}}}, {key: {key: {key: 2}}}, "exact")
    told = compare_results({}, {}, lambda *_: (False, "\x00" * 5000))

    def fail(*_: object) -> bool:
        raise type("\x00" * 5000, (Exception,), {})

    for verdict in (hostile, told, compare_results({}, {}, fail)):
        assert len(str(verdict.comment).encode()) < 2_048
        assert str(verdict.comment).isprintable()


def test_every_reason_has_its_test() -> None:
    """The closed set of reasons is the one that the tests above know."""
    assert set(get_args(ResultsReason)) == {"not_recorded", "no_reference", "cut", "no_form", "broken"}
