"""Which model call chose a tool call, by the call's id within the run.

Ids of providers are unique. A script, or a model behind a cache, gives the same ids again and again: then it is the
last call before the tool that chose it, by superstep where both ran in one graph run, else by start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otel_traj.reconstruct.facts import CallFact
    from otel_traj.reconstruct.parts import Part

__all__ = ["Choosers"]


class Choosers:
    """The model calls of one run and of the runs below it, found by what they chose."""

    def __init__(self, parts: Iterable[Part]) -> None:
        """Index the model calls.

        Args:
            parts: The parts of a top-level run; their children come along.
        """
        self._of_id: dict[str, list[CallFact]] = {}
        for call in _list_calls(parts):
            for chosen in call.chosen or ():
                if chosen.id is not None:
                    self._of_id.setdefault(chosen.id, []).append(call)

    def find(self, tool: CallFact) -> str | None:
        """Return the span id of the model call that chose a tool call, None where none is known."""
        candidates = self._of_id.get(tool.call_id or "")
        if not candidates:
            return None
        return max(candidates, key=lambda model: _rank(model, tool)).place.span_id


def _list_calls(parts: Iterable[Part]) -> Iterator[CallFact]:
    for part in parts:
        yield from part.calls
        yield from _list_calls(part.children)


def _rank(model: CallFact, tool: CallFact) -> tuple[bool, bool, int, int, str]:
    is_same_run = model.run_id is not None and model.run_id == tool.run_id
    started = model.place.start_ns
    if not is_same_run or model.superstep is None or tool.superstep is None or model.task_id == tool.task_id:
        is_before = started <= tool.place.start_ns
    else:
        is_before = model.superstep < tool.superstep
    superstep = model.superstep if is_same_run and model.superstep is not None else 0
    return is_before, is_same_run, superstep, started, model.place.span_id
