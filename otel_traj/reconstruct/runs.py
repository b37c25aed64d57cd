"""Chains of parts -> runs: the joined trajectory, its markers, its children and what is missing.

A run begun by input starts with `["__start__"]`; an interrupted superstep is followed by `["__interrupt__"]`;
the superstep that a resume goes on with is listed once.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from otel_traj.model import NAMED_ONLY, Invocation, Problem, Run
from otel_traj.reconstruct.arrival import count_arrival
from otel_traj.reconstruct.calls import list_model_calls, list_tool_calls, sum_usage
from otel_traj.reconstruct.choosers import Choosers
from otel_traj.reconstruct.completeness import check_part, is_manifest_met
from otel_traj.reconstruct.content import decode_content
from otel_traj.reconstruct.joined import find_gap, join_groups, make_piece, mark_steps
from otel_traj.reconstruct.names import name_run, name_span, name_spans
from otel_traj.reconstruct.parts import find_start, find_thread
from otel_traj.reconstruct.subgraphs import join_children
from otel_traj.reconstruct.supersteps import list_recorded_steps, order_siblings
from otel_traj.reconstruct.without_manifest import check_answered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otel_traj.model import AttributeValue, RunStatus
    from otel_traj.reconstruct.joined import Piece
    from otel_traj.reconstruct.parts import Part
    from otel_traj.reconstruct.threads import Chain

__all__ = ["RunBuilder"]


class RunBuilder:
    """Builds the runs of one source."""

    def __init__(
        self,
        *,
        conflicts: Mapping[tuple[str, str], tuple[str, ...]],
        node_order: Mapping[str, int],
        source: str,
        partial: Mapping[str, str] | None = None,
    ) -> None:
        """Keep what all runs of the source share.

        Args:
            conflicts: Spans of which differing copies arrived.
            node_order: Place of each node as its graph declares them; empty for canonical order.
            source: The source as the user named it.
            partial: Traces that the source did not give whole -> what it says about that.
        """
        self._partial = partial or {}
        self._conflicts = conflicts
        self._node_order = node_order
        self._source = source

    def build(self, chain: Chain) -> Run:
        """Return the run that a chain of parts makes, its subgraph runs below it.

        Args:
            chain: The parts of the run, in order.
        """
        return self._build(chain, Choosers(chain.parts), is_child=False)

    def _build(self, chain: Chain, choosers: Choosers, *, is_child: bool) -> Run:
        pieces = [make_piece(part) for part in chain.parts]
        groups = [order_siblings(group, self._node_order) for group in join_groups(pieces)]
        tasks = [task for group in groups for task in group]
        children = [self._build(child, choosers, is_child=True) for child in join_children(chain.parts)]
        problems = self._find_problems(chain, pieces, is_child=is_child)
        complete = all(problem.code in NAMED_ONLY for problem in problems)
        is_met = all(is_manifest_met(piece.part, piece.tasks) for piece in pieces)
        calls = [call for part in chain.parts for call in part.calls]
        model_calls = list_model_calls(calls, tasks, children)
        first, last = chain.parts[0], chain.parts[-1]
        steps, step_task_ids = mark_steps(first, groups)
        inputs, results = _read_content(chain.parts)
        return Run(
            graph=first.graph.graph if first.graph else None,
            run_id=first.run_id,
            thread_id=find_thread(first),
            case=next((part.graph.case for part in chain.parts if part.graph and part.graph.case), None),
            trace_ids=tuple(dict.fromkeys(part.trace_id for part in chain.parts)),
            status=_read_status(last),
            steps=steps,
            step_task_ids=step_task_ids,
            tasks=tasks,
            invocations=[_make_invocation(piece) for piece in pieces],
            children=children,
            inputs=inputs,
            results=results,
            started_ns=min(_first_start(part) for part in chain.parts),
            ended_ns=0 if _read_status(last) == "open" else max(_last_end(part) for part in chain.parts),
            usage=sum_usage(model_calls),
            model_calls=model_calls,
            tool_calls=list_tool_calls(calls, tasks, children, choosers),
            complete=complete,
            verified=complete and is_met and all(problem.code != "spans_missing" for problem in problems),
            problems=problems,
            service=_read_service(first),
            attributes=first.graph.attributes if first.graph else {},
            parent_task_id=first.graph.parent_task_id if first.graph else None,
            parent_run_id=first.graph.parent_run_id if first.graph else None,
            omitted=_list_omitted(chain.parts),
            emitter=first.emitter,
            error_type=last.graph.error_type if last.graph else None,
            source=self._source,
        )

    def _find_problems(self, chain: Chain, pieces: Sequence[Piece], *, is_child: bool) -> list[Problem]:
        """Return each problem once: of the run itself first, then what that and other calls leave in doubt."""
        problems = [] if is_child else _name_lost_caller(chain.parts[0])
        for piece in pieces:
            problems += check_part(piece.part, piece.tasks, self._conflicts)
            problems += _name_cut_content(piece.part)
            problems += self._name_partial_trace(piece.part)
        for before, part in pairwise(chain.parts):
            problems += check_answered(before, part)
        problems += [*chain.problems, *_name_unknown_pause(chain.parts[-1]), *find_gap(pieces)]
        return list(dict.fromkeys(problems))

    def _name_partial_trace(self, part: Part) -> list[Problem]:
        """What is there of a trace that its place did not give whole may miss anything, a whole superstep too."""
        said = self._partial.get(part.trace_id)
        if said is None:
            return []
        return [Problem(code="partial_response", message=f"{name_run(part)}: {said}")]


def _name_lost_caller(part: Part) -> list[Problem]:
    """A subgraph's run that stands on top has lost the run that called it."""
    if part.graph is None or not part.graph.is_subgraph:
        return []
    caller = f" {part.graph.parent_run_id!r}" if part.graph.parent_run_id else ""
    message = (
        f"{name_run(part)}: {name_span(part.graph.place)} is a subgraph's, and the run{caller} that called it is "
        f"missing. Read the source again later, or look for spans that were dropped."
    )
    return [Problem(code="root_missing", message=message, span_ids=(part.graph.place.span_id,))]


def _name_unknown_pause(part: Part) -> list[Problem]:
    """An older LangGraph does not tell whether a run that ended without an error paused at a static interrupt."""
    if part.graph is None or not part.graph.pause_unknown:
        return []
    message = (
        f"{name_run(part)}: {name_span(part.graph.place)} ended, or waits at a static interrupt: its graph has some, "
        f"and LangGraph before 1.1.8 does not tell. Use a newer one, or `interrupt()` inside the node."
    )
    return [Problem(code="pause_unknown", message=message, span_ids=(part.graph.place.span_id,))]


def _name_cut_content(part: Part) -> list[Problem]:
    texts = [(task.place, text) for task in part.tasks for text in (task.inputs, task.outputs)]
    if part.graph is not None:
        texts += [(part.graph.place, part.graph.inputs), (part.graph.place, part.graph.results)]
    for call in part.calls:
        values = (call.arguments, call.input_messages, call.output_messages)
        texts += [(call.place, value) for value in values if isinstance(value, str)]
    places = {place.span_id: place for place, text in texts if decode_content(text)[1]}
    mended = [part.graph.place] if part.graph is not None else []
    mended += [*part.places, *(task.place for task in part.tasks)]
    places |= {place.span_id: place for place in mended if place.mended_keys}
    if not places:
        return []
    message = (
        f"{name_run(part)}: recorded content was cut on {name_spans(list(places.values()))}, so its values are not "
        f"known. Raise `max_bytes` of the recorder's ContentPolicy, or the limit on the length of attribute "
        f"values of what it passed through (Tempo: max_attribute_bytes)."
    )
    return [Problem(code="content_cut", message=message, span_ids=tuple(sorted(places)))]


def _read_status(part: Part) -> RunStatus:
    """Nobody knows that a run ended whose graph-run span is missing."""
    return part.graph.outcome if part.graph else "open"


def _make_invocation(piece: Piece) -> Invocation:
    part, graph = piece.part, piece.part.graph
    return Invocation(
        run_id=part.run_id,
        trace_id=part.trace_id,
        span_id=graph.place.span_id if graph else "",
        resumed=graph is not None and graph.resumed,
        status=_read_status(part),
        steps=list_recorded_steps(piece.groups),
        supersteps=[group[0].superstep for group in piece.groups if list_recorded_steps([group])],
        started_ns=_first_start(part),
        ended_ns=_last_end(part),
        arrival=count_arrival(part, piece.tasks),
    )


def _read_content(parts: Sequence[Part]) -> tuple[AttributeValue, AttributeValue]:
    """Return the run's input as given and its results; None where content was not recorded."""
    first, last = parts[0].graph, parts[-1].graph
    if first is None or last is None:
        return None, None
    is_recorded = any(part.graph and (part.graph.inputs or part.graph.results) for part in parts)
    inputs = None if first.resumed else decode_content(first.inputs)[0]
    if last.outcome != "ok":
        return inputs, {} if is_recorded else None
    return inputs, decode_content(last.results)[0]


def _first_start(part: Part) -> int:
    return min([find_start(part), *(place.start_ns for place in part.places)])


def _last_end(part: Part) -> int:
    """The latest end of a part and all below it; 0 while it is open."""
    if part.graph is not None and not part.graph.place.end_ns:
        return 0
    ends = [place.end_ns for place in part.places]
    ends += [fact.place.end_ns for fact in (*part.tasks, *part.strays)]
    if part.graph is not None:
        ends.append(part.graph.place.end_ns)
    return max([*ends, *(_last_end(child) for child in part.children)])


def _list_omitted(parts: Sequence[Part]) -> tuple[str, ...]:
    kinds = [kind for part in parts if part.graph is not None for kind in part.graph.omitted]
    return tuple(dict.fromkeys(kinds))


def _read_service(part: Part) -> str | None:
    if part.graph is not None:
        return part.graph.service[1] or None
    return next((task.service[1] for task in part.tasks if task.service[1]), None)
