"""Calls a random graph as its case says, and reads what its checkpointer kept."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from langchain_core.callbacks import BaseCallbackHandler
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import EmptyInputError
from langgraph.types import Command

from otel_traj import extract_trajectory, extract_trajectory_async, extract_trajectory_from_snapshots
from tests.laws.build import BrokenNodeError, Builder, State, begin_run
from tests.oracles.driver import run_without_loop
from tests.oracles.scenario import INTERRUPT, START_STEP

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from langgraph.pregel import Pregel
    from langgraph.types import StateSnapshot

    from otel_traj import GraphRunTrajectory, Run
    from tests.laws.spec import Call, Case, Graph
    from tests.oracles.scenario import Trajectories

__all__ = ["Driven", "drive"]

Config: TypeAlias = dict[str, Any]

RECURSION_LIMIT = 1_000


class Witness(BaseCallbackHandler):
    """Notes which tasks began, which in a superstep that may not have come to its end, and which runs left work behind.

    It shares nothing with the package under test.
    """

    run_inline = True
    raise_error = True

    def __init__(self) -> None:
        """Begin with none."""
        self.began: set[str] = set()
        self.unsettled: set[str] = set()
        self.is_closing = False
        """Whether the stream of this call is closed early."""
        self.late: set[str] = set()
        """Ids of calls in which something began when they had ended, or a task when the subgraph run it is of had."""
        self._task_of: dict[UUID, str] = {}
        self._call_of: dict[UUID, UUID] = {}
        self._ended: set[UUID] = set()
        self._lock = threading.Lock()

    def on_chain_start(
        self,
        serialized: dict[str, Any],  # noqa: ARG002 - part of BaseCallbackHandler's interface
        inputs: object,  # noqa: ARG002
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, object] | None = None,
        **kwargs: object,  # noqa: ARG002
    ) -> None:
        """Note the task that a chain runs in: the last id of its namespace."""
        task_id = str((metadata or {}).get("langgraph_checkpoint_ns", "")).rpartition(":")[2]
        is_task = any(tag.startswith("graph:step:") for tag in tags or ())
        with self._lock:
            self._task_of[run_id] = task_id
            self.began.add(task_id)
            if self.is_closing:
                self.unsettled.add(task_id)
            self._place(run_id, parent_run_id, is_late=is_task and parent_run_id in self._ended)

    def on_tool_start(
        self,
        serialized: dict[str, Any],  # noqa: ARG002 - part of BaseCallbackHandler's interface
        input_str: str,  # noqa: ARG002
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: object,  # noqa: ARG002
    ) -> None:
        """Note the call that a tool runs in."""
        with self._lock:
            self._place(run_id, parent_run_id, is_late=False)

    def _place(self, run_id: UUID, parent_run_id: UUID | None, *, is_late: bool) -> None:
        call = run_id if parent_run_id is None else self._call_of[parent_run_id]
        self._call_of[run_id] = call
        if is_late or call in self._ended:
            self.late.add(str(call))

    def on_chain_end(self, outputs: object, *, run_id: UUID, **kwargs: object) -> None:  # noqa: ARG002
        """Note that a chain ended."""
        with self._lock:
            self._ended.add(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_kwargs: object) -> None:
        """Note that a chain ended, and the task that an error came out of."""
        with self._lock:
            self._ended.add(run_id)
            if isinstance(error, BrokenNodeError):
                self.unsettled.add(self._task_of[run_id])


class Driven:
    """A graph that has been called, with the threads that it was called on."""

    def __init__(self, case: Case, graph: Pregel[Any, Any, Any, Any], witness: Witness) -> None:
        """Keep what was driven."""
        self._case = case
        self._witness = witness
        self.graph = graph

    @property
    def threads(self) -> list[str]:
        """The threads that were called, each once."""
        return list(dict.fromkeys(self._case.threads[call.thread] for call in self._case.calls))

    def left_work_behind(self, run: Run) -> bool:
        """Whether something of a run began when nothing could count it any more.

        An async node that is cancelled while its subgraph is being cancelled leaves that running, for as long as it
        takes: chance decides whether it begins another task after the run has ended (seen with langgraph 1.2.24).
        """
        return any(call.run_id in self._witness.late for call in run.invocations)

    def read_history(self, thread: str, checkpoint_ns: str = "") -> Trajectories:
        """Return what `extract_trajectory` tells of a thread, or of a subgraph's namespace on it.

        Two things in history are no matter of spans, and are taken out of the snapshots where there are any. Tasks
        that were planned and never began: behind a static interrupt that nobody resumed, behind a closed stream,
        or in a thread pool's queue when a sibling failed. And an interrupt beside a task that failed, or in a stream
        that was closed early: whether LangGraph still keeps it depends on which of the two came first.
        """
        config: Config = {"configurable": {"thread_id": thread, "checkpoint_ns": checkpoint_ns}}
        snapshots = list(self.graph.get_state_history(config))  # type: ignore[arg-type]
        executed = [self._keep_executed(snapshot) for snapshot in snapshots]
        if executed == snapshots:
            return _steps_of(self._extract(config))
        return _steps_of(extract_trajectory_from_snapshots(executed))

    def read_steps(self, run: Run) -> list[list[str]]:
        """Return a run's supersteps, but for interrupts that history may have lost: see `read_history`."""
        kept = []
        is_unsettled = False
        for names, task_ids in zip(run.steps, run.step_task_ids, strict=True):
            if names != INTERRUPT or not is_unsettled:
                kept.append(names)
            is_unsettled = not self._witness.unsettled.isdisjoint(task_ids)
        return kept

    def keeps_history(self, checkpoint_ns: str) -> bool:
        """Whether a namespace is a subgraph's of this graph that keeps checkpoints, like those above it.

        A graph with a memory of its own goes on, when its caller is resumed, with what it left in an earlier run of
        the caller: then its runs and the caller's do not pair up.
        """
        is_resumed = not all(call.begins for call in self._case.calls)
        graph: Graph | None = self._case.graph
        for piece in checkpoint_ns.split("|"):
            name = piece.partition(":")[0]
            if name.isdecimal():
                continue
            node = next((node for node in graph.nodes if node.name == name), None) if graph else None
            if node is None or node.does == "alone" or node.memory is False or (node.memory and is_resumed):
                return False
            graph = node.inner
        return True

    def _keep_executed(self, snapshot: StateSnapshot) -> StateSnapshot:
        tasks = tuple(
            task for task in snapshot.tasks if task.id in self._witness.began or task.name == START_STEP[0]
        )
        if not self._witness.unsettled.isdisjoint(task.id for task in tasks):
            tasks = tuple(task._replace(interrupts=()) for task in tasks)
        return snapshot._replace(tasks=tasks)

    def _extract(self, config: Config) -> list[GraphRunTrajectory]:
        if self._case.mode == "sync":
            return extract_trajectory(self.graph, config)
        return asyncio.run(extract_trajectory_async(self.graph, config))


def _steps_of(trajectories: Sequence[GraphRunTrajectory]) -> Trajectories:
    return [each["steps"] for each in trajectories if each["steps"]]


def drive(case: Case, handlers: Sequence[BaseCallbackHandler], *, noise: int = 0) -> Driven:
    """Build a case's graph and call it as the case says.

    Args:
        case: What to do.
        handlers: One per process of the case.
        noise: How many attributes of its own each node sets on the current span.
    """
    witness = Witness()
    graph = Builder(case.mode, noise=noise).build(case.graph, InMemorySaver())
    caller = _Caller(case, graph, handlers, witness)
    if case.mode == "sync":
        run_without_loop(caller.call_all())
    else:
        asyncio.run(caller.call_all())
    return Driven(case, graph, witness)


class _Caller:
    def __init__(
        self,
        case: Case,
        graph: Pregel[Any, Any, Any, Any],
        handlers: Sequence[BaseCallbackHandler],
        witness: Witness,
    ) -> None:
        self._case = case
        self._graph = graph
        self._handlers = handlers
        self._witness = witness
        self._runs = [0, 0]

    async def call_all(self) -> None:
        for call in self._case.calls:
            with suppress(BrokenNodeError, EmptyInputError):
                await self._call(call)

    async def _call(self, call: Call) -> None:
        thread: Any = {"configurable": {"thread_id": self._case.threads[call.thread]}}
        if call.edit and self._runs[call.thread]:
            update: State = {"run": self._runs[call.thread], "visits": {}}
            self._graph.update_state(thread, update, as_node=call.edit)
        value: object = self._find_answers(call, self._graph.get_state(thread))
        if call.begins:
            self._runs[call.thread] += 1
            value = begin_run(self._runs[call.thread])
        if call.back:
            thread = self._find_before(thread, call.back)
            value = None
        self._witness.is_closing = call.how == "close"
        config = {
            **thread,
            "callbacks": [self._witness, *self._handlers[call.process : call.process + 1]],
            "recursion_limit": RECURSION_LIMIT,
            **({"max_concurrency": 1} if call.one_by_one else {}),
        }
        if call.how == "invoke":
            await self._invoke(value, config)
        elif self._case.mode == "async":
            await self._read_async(call, value, config)
        else:
            self._read(call, value, config)

    def _find_before(self, thread: Any, back: int) -> Any:  # noqa: ANN401 - langgraph's config
        """Return the config of a checkpoint so many before the last; of none before `__start__`, which has no span."""
        snapshots = list(self._graph.get_state_history(thread))[back:]
        return next((each.config for each in snapshots if START_STEP[0] not in each.next), thread)

    async def _invoke(self, value: object, config: Any) -> None:  # noqa: ANN401 - a config that LangGraph made
        if self._case.mode == "async":
            await self._graph.ainvoke(value, config)
        else:
            self._graph.invoke(value, config)

    def _read(self, call: Call, value: object, config: Any) -> None:  # noqa: ANN401 - a config that LangGraph made
        chunks: Any = self._graph.stream(value, config, stream_mode="updates")
        for _ in chunks:
            if call.how == "close":
                chunks.close()

    async def _read_async(self, call: Call, value: object, config: Any) -> None:  # noqa: ANN401 - a config that LangGraph made
        chunks: Any = self._graph.astream(value, config, stream_mode="updates")
        async for _ in chunks:
            if call.how == "close":
                await chunks.aclose()

    def _find_answers(self, call: Call, state: StateSnapshot) -> Command[Any] | None:
        """Return the answers to what is asked; None where nothing is."""
        asked = [each.id for task in state.tasks for each in task.interrupts]
        if not asked:
            return None
        answered = {"all": asked, "first": asked[:1], "last": asked[-1:]}[call.answer]
        return Command(resume=dict.fromkeys(answered, "yes"))
