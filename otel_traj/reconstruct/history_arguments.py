"""What a history is read from: a graph with a checkpointer and a config that names a thread, or its snapshots.

The graph and its snapshots are duck-typed, so that reading imports no langgraph; only public fields of
`StateSnapshot` are asked for (langgraph 0.6 and newer). What is something else is refused here, with what to pass:
the walk itself would fail far from the mistake, or, of snapshots in the wrong order, tell other runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from otel_traj.errors import HistoryError, TrajectoryTypeError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

__all__ = [
    "Agent",
    "Snapshot",
    "SnapshotTask",
    "check_arguments",
    "list_snapshots",
    "read_checkpoint_id",
    "translate_error",
]

_FIELDS = ("values", "next", "config", "metadata", "parent_config", "tasks")
_NO_CHECKPOINTER = (
    "the graph has no checkpointer, so it keeps no history to read a trajectory from. Compile it with one "
    "(builder.compile(checkpointer=InMemorySaver())), or record its runs with TrajectoryCallbackHandler."
)
_NAME_A_THREAD = 'Pass {"configurable": {"thread_id": ...}}.'
_GIVE_SNAPSHOTS = "Pass what graph.get_state_history(config) returns."


class SnapshotTask(Protocol):
    """What is read of a task of a snapshot."""

    @property
    def name(self) -> str:
        """The node's name."""

    @property
    def result(self) -> Any:  # noqa: ANN401 - LangGraph's own type
        """What the task wrote; None where it has not."""

    @property
    def interrupts(self) -> Sequence[object]:
        """The interrupts that it waits for, or waited for."""


class Snapshot(Protocol):
    """What is read of LangGraph's `StateSnapshot`."""

    @property
    def values(self) -> Any:  # noqa: ANN401 - LangGraph's own type
        """The state."""

    @property
    def next(self) -> Sequence[str]:
        """Nodes to run next; empty where the graph has ended."""

    @property
    def config(self) -> Mapping[str, Any]:
        """The config that names this snapshot."""

    @property
    def metadata(self) -> Mapping[str, Any] | None:
        """Its `source` is input, loop, update or fork."""

    @property
    def parent_config(self) -> Mapping[str, Any] | None:
        """The config that names the snapshot before."""

    @property
    def tasks(self) -> Sequence[SnapshotTask]:
        """The tasks of the superstep that follows this snapshot."""


class Agent(Protocol):
    """A compiled graph with a checkpointer."""

    def get_state_history(self, config: Any) -> Iterator[Any]:  # noqa: ANN401 - LangGraph's own type
        """Return the snapshots of a thread, newest first."""

    def aget_state_history(self, config: Any) -> AsyncIterator[Any]:  # noqa: ANN401 - LangGraph's own type
        """Return the same, asynchronously."""


def check_arguments(agent: Agent, config: Mapping[str, Any]) -> None:
    """Refuse what has no history.

    Args:
        agent: A compiled graph.
        config: Names the thread.

    Raises:
        HistoryError: The graph has no checkpointer, or the config names no thread.
        TrajectoryTypeError: The config is no mapping.
    """
    if not hasattr(agent, "get_state_history"):
        message = (
            f"{type(agent).__name__!r} object has no state history, so no trajectory can be read from it. Pass a "
            f"compiled LangGraph graph."
        )
        raise HistoryError(message)
    if not getattr(agent, "checkpointer", True):
        raise HistoryError(_NO_CHECKPOINTER)
    given: object = config
    if not isinstance(given, Mapping):
        message = f"the config is {given!r}, which names no thread. {_NAME_A_THREAD}"
        raise TrajectoryTypeError(message)
    named = config.get("configurable")
    # LangGraph keeps what runs on thread 0 where no history finds it (seen with 1.2.24).
    if not isinstance(named, Mapping) or not named.get("thread_id"):
        message = (
            f"the config {dict(config)!r} names no thread, and a checkpointer keeps its history by thread. "
            f"{_NAME_A_THREAD}"
        )
        raise HistoryError(message)


def list_snapshots(snapshots: Iterable[Snapshot]) -> list[Snapshot]:
    """Return snapshots oldest first.

    Args:
        snapshots: Newest first.

    Raises:
        HistoryError: They stand in another order.
        TrajectoryTypeError: They are none.
    """
    given: object = snapshots
    if not isinstance(given, Iterable) or all(hasattr(given, field) for field in _FIELDS):
        message = f"{type(given).__name__!r} object is no list of snapshots. {_GIVE_SNAPSHOTS}"
        raise TrajectoryTypeError(message)
    known: list[Snapshot] = []
    seen: set[str] = set()
    for snapshot in snapshots:
        lacking = [field for field in _FIELDS if not hasattr(snapshot, field)]
        if lacking:
            message = f"{type(snapshot).__name__!r} object is no snapshot: it has no {lacking[0]!r}. {_GIVE_SNAPSHOTS}"
            raise TrajectoryTypeError(message)
        parent = read_checkpoint_id(snapshot.parent_config)
        if parent and parent in seen:
            own = read_checkpoint_id(snapshot.config)
            message = (
                f"the snapshot {own!r} stands after {parent!r}, which it came of, so the runs would be told backwards. "
                f"Pass snapshots newest first, as graph.get_state_history(config) returns them."
            )
            raise HistoryError(message)
        seen.add(read_checkpoint_id(snapshot.config))
        known.append(snapshot)
    return known[::-1]


def read_checkpoint_id(config: Mapping[str, Any] | None) -> str:
    """Return the id of the checkpoint that a config names; empty where it names none."""
    return str((config or {}).get("configurable", {}).get("checkpoint_id", ""))


def translate_error(error: Exception) -> HistoryError:
    """Return what LangGraph raised while it walked a history, as an error of ours."""
    if "checkpointer" in str(error).lower() and isinstance(error, ValueError):
        return HistoryError(_NO_CHECKPOINTER)
    return HistoryError(
        f"LangGraph could not walk the thread's history ({type(error).__name__}: {error}). Check that the graph's "
        f"nodes and state are those that the thread was run with."
    )
