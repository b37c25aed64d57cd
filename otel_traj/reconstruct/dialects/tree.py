"""Callback runs of one emitter -> facts: what each is, by its place in the tree of callbacks.

A task brings a new namespace and bears its node's name; everything inside it inherits the namespace, and what a task
runs below is a graph's run (section by section the rule of LangGraph's own callbacks, seen with langgraph 1.2.22).

An emitter without a manifest still tells of spans that are not there: what ran inside a task names it, and so does a
subgraph's namespace. Such a task is told with the span that names it, as of a graph run that is missing.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec

from otel_traj.reconstruct.dialects.callback_run import Call
from otel_traj.reconstruct.dialects.resumes import mark_resumes
from otel_traj.reconstruct.facts import CallFact, Fact, GraphFact, OtherFact, Place, TaskFact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otel_traj.model import TaskStatus
    from otel_traj.reconstruct.dialects.callback_run import CallbackRun

__all__ = ["make_facts"]

_DEPTH: Final = 1_000
"""How far up the tree is looked: a bound for spans that are each other's parents."""
_DEFAULT_NAME: Final = "LangGraph"
_NO_CALL: Final = Call()


def make_facts(runs: Iterable[CallbackRun]) -> list[Fact]:
    """Return the facts that the callback runs of one emitter tell.

    Args:
        runs: Each once, all of one emitter.
    """
    return _Tree(runs).make_facts()


class _Tree:
    def __init__(self, runs: Iterable[CallbackRun]) -> None:
        self._runs = {(run.place.trace_id, run.place.span_id): run for run in runs}
        self._task_keys = {key for key, run in self._runs.items() if self._is_task(run)}
        self._node_tasks: dict[tuple[str, str], list[CallbackRun]] = {}
        """By span of the graph run, there or missing."""
        self._graph_keys = {key for key, run in self._runs.items() if self._is_lone_graph(run)}
        for key in self._task_keys:
            run = self._runs[key]
            parent = self._find_parent(run)
            if run.metadata.is_inner or (parent is not None and _read_key(parent) in self._task_keys):
                continue
            self._node_tasks.setdefault((run.place.trace_id, run.place.parent_span_id), []).append(run)
            if parent is not None and parent.kind in ("chain", "graph"):
                self._graph_keys.add(_read_key(parent))

    def make_facts(self) -> list[Fact]:
        tasks = [fact for (_, run_id), runs in self._node_tasks.items() for fact in _make_tasks(run_id, runs)]
        tasks_of: dict[str, list[TaskFact]] = {}
        for task in tasks:
            tasks_of.setdefault(task.run_id, []).append(task)
        graphs = [self._make_graph(self._runs[key], tasks_of) for key in self._graph_keys]
        used = {(task.place.trace_id, task.place.span_id) for task in tasks} | self._graph_keys
        rest = [self._make_rest(run) for key, run in self._runs.items() if key not in used]
        return [*mark_resumes(graphs, tasks_of), *tasks, *rest, *self._find_lost_tasks()]

    def _find_parent(self, run: CallbackRun) -> CallbackRun | None:
        return self._runs.get((run.place.trace_id, run.place.parent_span_id))

    def _is_task(self, run: CallbackRun) -> bool:
        metadata = run.metadata
        if run.kind not in ("chain", "graph"):
            return False
        parent = self._find_parent(run)
        if metadata.namespace:
            is_new = parent is None or parent.metadata.namespace != metadata.namespace
            return metadata.node == run.name and is_new
        if metadata.node is not None:
            # The namespace is lost; inside of a task node and superstep are those of the parent.
            around = (parent.metadata.node, parent.metadata.step) if parent is not None else None
            return metadata.node == run.name and around != (metadata.node, metadata.step)
        if not metadata.is_cut or parent is None or parent.kind not in ("chain", "graph"):
            return False
        return not parent.metadata.namespace and self._find_parent(parent) is None

    def _is_lone_graph(self, run: CallbackRun) -> bool:
        """Whether a graph's run shows without any task below it."""
        if run.metadata.namespace or run.metadata.node is not None:
            return False
        is_named = run.metadata.integration is not None or run.name == _DEFAULT_NAME
        is_top = run.kind == "chain" and is_named and self._find_parent(run) is None
        return run.kind == "graph" or is_top

    def _find_above(self, run: CallbackRun) -> tuple[CallbackRun | None, CallbackRun | None]:
        """Return the graph run that a callback ran in, and the task of it; None for what is not there."""
        task = None
        for above in islice(self._list_above(run), _DEPTH):
            key = _read_key(above)
            if key in self._graph_keys:
                return above, task
            if task is None and key in self._task_keys and not above.metadata.is_inner:
                task = above
        return None, task

    def _list_above(self, run: CallbackRun) -> Iterator[CallbackRun]:
        parent = self._find_parent(run)
        while parent is not None:
            yield parent
            parent = self._find_parent(parent)

    def _make_graph(self, run: CallbackRun, tasks_of: dict[str, list[TaskFact]]) -> GraphFact:
        above, task = self._find_above(run)
        metadata = run.metadata
        parent_run_id = above.place.span_id if above is not None else None
        if above is None and metadata.namespace:
            parent_run_id = run.place.parent_span_id
        run_id = run.place.span_id
        has_lost_thread = metadata.is_cut and metadata.thread_id is None
        return GraphFact(
            place=_mark(run, (), (metadata.key,) if has_lost_thread else ()),
            graph=run.name or None,
            run_id=run_id,
            parent_run_id=parent_run_id,
            parent_task_id=metadata.task_id or (task.metadata.task_id if task is not None else None),
            thread_id=metadata.thread_id,
            case=metadata.case,
            resumed=False,
            input_type=None,
            outcome=_find_outcome(run, tasks_of.get(run_id, ())),
            pause_unknown=False,
            error_type=run.error_type,
            manifest=None,
            linked_spans=(),
            previous_span_id=None,
            names_checkpoint=False,
            inputs=run.inputs,
            results=run.outputs,
            service=run.service,
            attributes=run.attributes,
        )

    def _make_rest(self, run: CallbackRun) -> CallFact | OtherFact:
        above, task = self._find_above(run)
        run_id = above.place.span_id if above is not None else None
        if run.kind not in ("model", "tool"):
            return OtherFact(place=run.place, thread_id=run.metadata.thread_id, run_id=run_id)
        metadata = task.metadata if task is not None else run.metadata
        call = run.call or _NO_CALL
        is_model = run.kind == "model"
        return CallFact(
            place=run.place,
            kind="model" if is_model else "tool",
            name=call.name or (metadata.model if is_model else None) or run.name or None,
            call_id=call.call_id,
            thread_id=metadata.thread_id,
            run_id=run_id,
            task_id=metadata.task_id or None,
            node=metadata.node,
            superstep=metadata.step,
            outcome=run.outcome,
            error_type=run.error_type,
            usage=call.usage,
            finish_reasons=call.finish_reasons,
            arguments=call.arguments,
            tools=call.tools,
            chosen=call.chosen if run.outcome == "ok" else None,
            input_messages=call.input_messages,
            output_messages=call.output_messages,
        )

    def _find_lost_tasks(self) -> Iterator[TaskFact]:
        """Yield a fact for each task that a namespace names and that has no span in its trace."""
        known = {(key[0], self._runs[key].metadata.task_id) for key in self._task_keys}
        for run in sorted(self._runs.values(), key=lambda run: (run.place.start_ns, run.place.span_id)):
            pieces = run.metadata.namespace.split("|")
            for place, piece in enumerate(pieces):
                node, is_named, task_id = piece.rpartition(":")
                if is_named and (run.place.trace_id, task_id) not in known:
                    known.add((run.place.trace_id, task_id))
                    step = run.metadata.step if place == len(pieces) - 1 else None
                    yield _make_task(run, _name_missing(run), 1, node=node, step=step, task_id=task_id)


def _read_key(run: CallbackRun) -> tuple[str, str]:
    return run.place.trace_id, run.place.span_id


def _name_missing(run: CallbackRun) -> str:
    """Return a run id that no graph run has."""
    return f"above {run.place.parent_span_id or run.place.span_id}"


def _find_outcome(run: CallbackRun, tasks: Iterable[TaskFact]) -> TaskStatus:
    """Return how a graph's run ended.

    An interrupted one ends well, or when its caller closes the stream. One that ends well has no cancelled task (langsmith
    0.15.1 writes a cancelled run as if it had).
    """
    if run.outcome not in ("ok", "cancelled"):
        return run.outcome
    last: dict[str, TaskFact] = {}
    for task in tasks:
        last[task.task_id] = max(last.get(task.task_id, task), task, key=lambda each: each.attempt)
    outcomes = {task.outcome for task in last.values()}
    if "interrupted" in outcomes:
        return "interrupted"
    return "cancelled" if "cancelled" in outcomes else run.outcome


def _make_tasks(run_id: str, runs: list[CallbackRun]) -> Iterator[TaskFact]:
    """Yield the tasks of one graph run, their attempts numbered by start."""
    attempts: dict[str, int] = {}
    for run in sorted(runs, key=lambda run: (run.place.start_ns, run.place.span_id)):
        task_id = run.metadata.task_id or run.place.span_id
        attempts[task_id] = attempts.get(task_id, 0) + 1
        yield _make_task(run, run_id or _name_missing(run), attempts[task_id])


def _make_task(
    run: CallbackRun,
    run_id: str,
    attempt: int,
    *,
    node: str | None = None,
    step: int | None = None,
    task_id: str | None = None,
) -> TaskFact:
    """Return a task's fact: the run's own task, unless another one is given."""
    metadata = run.metadata
    is_own = task_id is None
    superstep = metadata.step if is_own else step
    wanted = (
        ("langgraph_step", superstep is not None),
        ("langgraph_checkpoint_ns", bool(metadata.namespace)),
        ("langgraph_path", bool(metadata.path)),
        ("langgraph_triggers", bool(metadata.triggers)),
    )
    lost = tuple(dict.fromkeys(metadata.name_key(name) for name, is_there in wanted if not is_there))
    return TaskFact(
        place=_mark(run, () if metadata.is_cut else lost, lost if metadata.is_cut else ()),
        node=node or metadata.node or run.name,
        superstep=-1 if superstep is None else superstep,
        task_id=task_id or metadata.task_id or run.place.span_id,
        run_id=run_id,
        thread_id=metadata.thread_id,
        push_index=metadata.push_index if is_own else None,
        checkpoint_ns=metadata.namespace,
        triggers=metadata.triggers if is_own else (),
        attempt=attempt,
        outcome=run.outcome,
        interrupted=is_own and run.interrupted,
        error_type=run.error_type,
        inputs=run.inputs if is_own else None,
        outputs=run.outputs if is_own else None,
        service=run.service,
    )


def _mark(run: CallbackRun, missing_keys: tuple[str, ...], cut_keys: tuple[str, ...]) -> Place:
    """Return the place of a run, with what is damaged of it."""
    if not (missing_keys or cut_keys or run.metadata.is_cut):
        return run.place
    mended = (run.metadata.key,) if run.metadata.is_cut and not cut_keys else ()
    return msgspec.structs.replace(
        run.place, missing_keys=missing_keys, cut_keys=cut_keys, mended_keys=mended
    )
