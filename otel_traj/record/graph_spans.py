"""Attributes of graph runs and node tasks.

Names: GenAI semantic conventions for what they have (`invoke_workflow`, `invoke_agent`), `langgraph.*` and
`otel_traj.*` for the rest, as `semconv` lists them. An agent is told from other graphs by what
`create_agent` and deepagents write into the metadata (langchain 1.5.2); what runs inside inherits that, so a
subgraph is an agent only where its metadata differs from its caller's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.rendering import clean_text, name_value, render_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from opentelemetry.util.types import AttributeValue

    from otel_traj.record.entry import Entry
    from otel_traj.record.graph_run import GraphRun

__all__ = [
    "describe_conversation",
    "describe_graph_run",
    "describe_task",
    "list_place",
    "name_graph_run",
    "read_thread_id",
]

_AGENT_INTEGRATIONS = frozenset({"langchain_create_agent", "deepagents"})
_AGENT_KEYS = ("ls_integration", "lc_agent_name")
_THREAD_KEYS = ("thread_id", "session_id", "conversation_id")
_PLACE_KEYS = (sc.STEP, sc.NODE, sc.TASK_ID, sc.RUN_ID, sc.THREAD_ID)
_INTERNAL_TAGS = ("seq:step:", "graph:step:", "langsmith:")


def read_thread_id(metadata: Mapping[str, object]) -> str | None:
    """Return the thread as a callback's metadata shows it, None where it shows none."""
    for key in _THREAD_KEYS:
        value = metadata.get(key)
        if value is not None and (text := name_value(value)):
            return text
    return None


def is_agent(entry: Entry) -> bool:
    """Whether a graph run is an agent that `create_agent` or deepagents built."""
    words = _list_agent_words(entry)
    if words[0] not in _AGENT_INTEGRATIONS:
        return False
    return entry.parent is None or words != _list_agent_words(entry.parent)


def _list_agent_words(entry: Entry) -> list[str | None]:
    shown = [entry.metadata.get(key) for key in _AGENT_KEYS]
    return [word if isinstance(word, str) else None for word in shown]


def name_graph_run(entry: Entry) -> str:
    """Return the name of a graph run's span."""
    operation = sc.INVOKE_AGENT if is_agent(entry) else sc.INVOKE_WORKFLOW
    return f"{operation} {entry.name}"


def describe_graph_run(
    entry: Entry, run: GraphRun, metadata_keys: Iterable[str]
) -> dict[str, AttributeValue]:
    """Return what a graph-run span starts with.

    Args:
        entry: The entry of the run.
        run: The run.
        metadata_keys: Keys of the config's metadata that may be written.

    Returns:
        Attributes, without content.
    """
    agent = is_agent(entry)
    attributes: dict[str, AttributeValue] = {
        sc.OPERATION_NAME: sc.INVOKE_AGENT if agent else sc.INVOKE_WORKFLOW,
        sc.AGENT_NAME if agent else sc.WORKFLOW_NAME: run.name,
        sc.GRAPH: run.name,
        sc.RUN_ID: run.run_id,
        sc.RESUMED: run.resumed,
        sc.INPUT_TYPE: run.input_type,
    }
    if run.thread_id is not None:
        attributes[sc.THREAD_ID] = attributes[sc.CONVERSATION_ID] = run.thread_id
    checkpoint_id = entry.metadata.get("checkpoint_id")
    if run.parent is not None:
        attributes[sc.PARENT_RUN_ID] = run.parent.run_id
    elif checkpoint_id:
        attributes[sc.CHECKPOINT_ID] = name_value(checkpoint_id)
    if run.parent_task_id is not None:
        attributes[sc.PARENT_TASK_ID] = run.parent_task_id
    tags = _list_tags(entry.tags)
    if tags:
        attributes[sc.TAGS] = tags
    attributes.update(_pick_metadata(entry.metadata, metadata_keys))
    return attributes


def _list_tags(tags: Sequence[str]) -> list[str]:
    return [clean_text(tag) for tag in tags if not tag.startswith(_INTERNAL_TAGS)]


def _pick_metadata(metadata: Mapping[str, object], keys: Iterable[str]) -> dict[str, AttributeValue]:
    picked: dict[str, AttributeValue] = {}
    for key in keys:
        value = metadata.get(key)
        if value is not None:
            picked[f"{sc.METADATA_PREFIX}{key}"] = _make_attribute(value)
    case = metadata.get("case")
    if case is not None:
        shown = _make_attribute(case)
        picked[sc.CASE] = shown if isinstance(shown, str) else render_json(case)
    return picked


def _make_attribute(value: object) -> AttributeValue:
    """Return a value as an attribute can hold it, whatever it is."""
    try:
        return _make_plain(value)
    except Exception:  # noqa: BLE001 - a value of the user's may raise when it is asked for its class
        return render_json(value)


def _make_plain(value: object) -> AttributeValue:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, int) and -(2**63) <= (number := int.__int__(value)) < 2**63:
        return number
    return render_json(value)


def describe_task(
    entry: Entry, run: GraphRun, *, step: int, task_id: str, push_index: int | None, attempt: int
) -> dict[str, AttributeValue]:
    """Return what a node-task span starts with.

    Args:
        entry: The entry of the task.
        run: The graph run it belongs to.
        step: Its superstep.
        task_id: Its id.
        push_index: Index of a fan-out task, else None.
        attempt: Which attempt it is, from 1.

    Returns:
        Attributes, without content.
    """
    shown = entry.metadata.get("langgraph_triggers")
    triggers = shown if isinstance(shown, (tuple, list)) else () if shown is None else (shown,)
    attributes: dict[str, AttributeValue] = {
        sc.OPERATION_NAME: sc.INVOKE_NODE,
        sc.NODE_NAME: entry.name,
        sc.CHECKPOINT_NS: entry.ns or "",
        sc.PATH: "pull" if push_index is None else f"push:{push_index}",
        sc.TRIGGERS: tuple(map(name_value, triggers)),
        sc.ATTEMPT: attempt,
        sc.STEP: step,
        sc.NODE: entry.name,
        sc.TASK_ID: task_id,
        sc.RUN_ID: run.run_id,
    }
    if run.thread_id is not None:
        attributes[sc.THREAD_ID] = run.thread_id
    return attributes


def describe_conversation(entry: Entry) -> dict[str, AttributeValue]:
    """Return the thread of a callback run's graph run by its name in the conventions, which ask for it on model calls."""
    thread_id = None if entry.graph is None else entry.graph.thread_id
    return {} if thread_id is None else {sc.CONVERSATION_ID: thread_id}


def list_place(entry: Entry) -> dict[str, AttributeValue]:
    """Return the attributes that say where a callback run stands.

    Returns:
        Superstep, node, task, run and thread of the node task it runs in; outside one, what is known of them.
    """
    task, run = entry.task_keys, entry.graph
    if task is not None:
        return {key: task[key] for key in _PLACE_KEYS if key in task}
    if run is None:
        return {}
    place: dict[str, AttributeValue] = {sc.RUN_ID: run.run_id}
    if run.thread_id is not None:
        place[sc.THREAD_ID] = run.thread_id
    return place
