"""What a model was offered and chose comes back from its span, or is not known; it is never made up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from otel_traj import semconv as sc
from otel_traj.model import ChosenTool
from otel_traj.reconstruct.tool_choices import read_chosen_calls, read_offered_tools

if TYPE_CHECKING:
    from otel_traj.model import AttributeValue

NAMES: dict[str, Any] = {
    sc.MODEL_TOOL_CALL_COUNT: 2,
    sc.MODEL_TOOL_CALLS: ["search", "clock"],
    sc.MODEL_TOOL_CALL_IDS: ["c1", ""],
}
BARE = (ChosenTool(name="search", id="c1"), ChosenTool(name="clock"))


def write_answers(*calls: tuple[str, str | None, AttributeValue]) -> list[AttributeValue]:
    """Return one answer with these calls (name, id, arguments) in the form of the conventions."""
    parts: list[AttributeValue] = [{"type": "text", "content": "hm"}]
    parts += [{"type": "tool_call", "name": name, "id": id_, "arguments": args} for name, id_, args in calls]
    return [{"role": "assistant", "parts": parts}]


def read(changes: dict[str, Any]) -> tuple[ChosenTool, ...] | None:
    """Read the calls of a span with `NAMES`, changed."""
    return read_chosen_calls({**NAMES, **changes})


def test_names_and_ids_come_back_in_order() -> None:
    """Without content a call has its name and its id, None for none, and no arguments."""
    assert read({}) == BARE


def test_none_chosen_and_not_recorded_differ() -> None:
    """A count of zero is no call, also where a store dropped the empty list; no count at all is not known."""
    assert read_chosen_calls({sc.MODEL_TOOL_CALL_COUNT: 0}) == ()
    assert read_chosen_calls({sc.MODEL_TOOL_CALL_COUNT: 0, sc.MODEL_TOOL_CALLS: []}) == ()
    assert read_chosen_calls({}) is None
    assert read_offered_tools({sc.MODEL_TOOL_COUNT: 0}) == ()
    assert read_offered_tools({}) is None


@pytest.mark.parametrize(
    "changes",
    [
        {sc.MODEL_TOOL_CALL_COUNT: 3},
        {sc.MODEL_TOOL_CALL_COUNT: None},
        {sc.MODEL_TOOL_CALLS: ["search"]},
        {sc.MODEL_TOOL_CALLS: ["search", 7]},
        {sc.MODEL_TOOL_CALLS: '["search", "clo'},
        {sc.MODEL_TOOL_CALLS: None},
        {sc.MODEL_TOOL_CALLS: ["search", "****"]},
    ],
)
def test_a_list_that_is_not_whole_is_not_known(changes: dict[str, Any]) -> None:
    """Cut by a limit, dropped or masked, the calls are not known, not fewer."""
    assert read(changes) is None


def test_ids_that_are_not_whole_are_none() -> None:
    """Names without their ids are names."""
    assert read({sc.MODEL_TOOL_CALL_IDS: ["c1"]}) == (ChosenTool(name="search"), ChosenTool(name="clock"))


def test_a_store_that_keeps_only_text_tells_the_same() -> None:
    """Lists and numbers that came back as text are read."""
    text = {key: json.dumps(value) for key, value in NAMES.items()}
    assert read_chosen_calls(dict(text)) == BARE
    assert read_offered_tools({sc.MODEL_TOOL_COUNT: "1", sc.MODEL_TOOLS: '["a"]'}) == ("a",)


@pytest.mark.parametrize("as_text", [True, False])
def test_arguments_come_from_the_recorded_answers(as_text: bool) -> None:
    """Where messages were recorded, as JSON text or as structure, each call has its arguments."""
    answers = write_answers(("search", "c1", {"q": 1}), ("clock", None, {}))
    whole = (ChosenTool(name="search", id="c1", args={"q": 1}), ChosenTool(name="clock", args={}))
    assert read({sc.OUTPUT_MESSAGES: json.dumps(answers) if as_text else answers}) == whole


@pytest.mark.parametrize(
    "answers",
    [
        '[{"role": "assistant", "parts": [{"type": "tool_ca',
        json.dumps(write_answers(("clock", None, {"a": 1}), ("search", "c1", {}))),
        "7",
        [{"role": "assistant"}],
        [7],
    ],
)
def test_answers_that_say_something_else_give_no_arguments(answers: AttributeValue) -> None:
    """Messages that were cut, or do not hold the same calls, are not matched by guess."""
    assert read({sc.OUTPUT_MESSAGES: answers}) == BARE


def test_an_older_recording_tells_its_calls_where_it_has_its_messages() -> None:
    """Without the attributes, whole answers still say what was chosen; without answers it is not known."""
    answers = write_answers(("search", "c1", {"q": 1}))
    assert read_chosen_calls({sc.OUTPUT_MESSAGES: json.dumps(answers)}) == (
        ChosenTool(name="search", id="c1", args={"q": 1}),
    )
    assert read_chosen_calls({sc.OUTPUT_MESSAGES: json.dumps(write_answers())}) == ()
    assert read_chosen_calls({sc.OUTPUT_MESSAGES: "[{"}) is None
