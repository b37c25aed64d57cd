"""LangGraph's metadata, whole or cut, in each form that emitters write it in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from otel_traj.reconstruct.dialects.metadata import decode_metadata, read_metadata

if TYPE_CHECKING:
    from otel_traj.model import AttributeValue

VALUES: dict[str, AttributeValue] = {
    "thread_id": 'a "b" \\ c',
    "langgraph_step": 12,
    "langgraph_node": "pl\u00e4n",
    "langgraph_triggers": ["branch:to:plan", "join:a+b:plan"],
    "langgraph_path": ["__pregel_push", ["__pregel_pull", "flow"], 3, True],
    "langgraph_checkpoint_ns": "outer:1-2|plan:3-4",
}


@pytest.mark.parametrize("spaces", [(", ", ": "), (",", ":")])
def test_a_cut_text_gives_only_whole_values(spaces: tuple[str, str]) -> None:
    """Wherever the text is cut, each value that is read is the true one, and the cut is told."""
    text = json.dumps(VALUES, separators=spaces)
    for length in range(1, len(text)):
        values, is_cut = decode_metadata(text[:length])
        assert is_cut
        assert all(VALUES[key] == value for key, value in values.items())
    assert decode_metadata(text) == (VALUES, False)


def test_what_is_read_grows_with_the_text() -> None:
    """Cut just before its end, a text has lost its last value at most."""
    text = json.dumps(VALUES)
    assert decode_metadata(text[:-2])[0].keys() == VALUES.keys() - {"langgraph_checkpoint_ns"}
    assert decode_metadata(text[:-1])[0] == VALUES


def test_text_that_is_no_metadata_is_none() -> None:
    """Anything else than an object, and nothing at all, gives no values."""
    for text in (None, "[1]", '"x"', "null"):
        assert decode_metadata(text) == ({}, False)


@pytest.mark.parametrize(
    ("path", "push_index", "is_inner"),
    [
        (["__pregel_pull", "a"], None, False),
        (["__pregel_push", 2, False], 2, False),
        (["__pregel_push", "2", "False"], 2, False),
        ('["__pregel_push",2,false]', 2, False),
        (["__pregel_push", ["__pregel_pull", "flow"], 2, True], 2, True),
        (["__pregel_push", "2", "True"], 2, True),
        (["__pregel_pull", "boom", "node_error_handler", False], None, True),
        (["__pregel_pull", "True"], None, False),
        (["__pregel_pull", "7"], None, False),
        (["__pregel_pull", "node_error_handler"], None, False),
    ],
)
def test_paths(path: AttributeValue, push_index: int | None, is_inner: bool) -> None:
    """Fan-out tasks have their index, tasks of the functional API and error handlers are inside of something."""
    metadata = read_metadata({"langgraph_path": path}, "x.")
    assert (metadata.push_index, metadata.is_inner) == (push_index, is_inner)


def test_a_task_is_the_last_of_its_namespace() -> None:
    """Name and id stand behind the last bar, the name alone where the node's own key is not there."""
    metadata = read_metadata(VALUES, "x.")
    assert (metadata.task_id, metadata.node) == ("3-4", "pl\u00e4n")
    assert read_metadata({"langgraph_checkpoint_ns": "outer:1-2|plan:3-4"}, "x.").node == "plan"


@pytest.mark.parametrize(
    ("values", "thread"),
    [
        ({"thread_id": "t"}, "t"),
        ({"thread_id": 7}, "7"),
        ({"thread_id": True}, "given"),
        ({"session_id": "s", "conversation_id": "c"}, "s"),
        ({"conversation_id": "c"}, "c"),
        ({"thread_id": "****"}, "given"),
        ({}, "given"),
    ],
)
def test_threads(values: dict[str, AttributeValue], thread: str) -> None:
    """The thread is LangGraph's, else one of the names that applications give it, else the emitter's; never a mask."""
    assert read_metadata(values, "x.", thread_id="given").thread_id == thread
