"""Whether a run matches a compiled reference: all states it may be in, superstep by superstep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.match.compare.step_match import step_matches
from otel_traj.match.levels import CalledTool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.program import Program
    from otel_traj.match.supersteps import ActualStep, ExpectedStep

__all__ = ["find_dead_end", "find_furthest", "matches", "may_go_on"]

_FEW: Final = 8


def matches(program: Program, actual: Sequence[ActualStep]) -> bool:
    """Return whether a run matches.

    Args:
        program: The compiled reference.
        actual: Supersteps that ran, in order.
    """
    if program.is_plain:
        steps = program.steps or ()
        return len(steps) == len(actual) and all(map(step_matches, steps, actual))
    if program.is_window:
        return _find_window(program.steps or (), actual)
    states, count = _follow(program, actual)
    return count == len(actual) and any(program.is_accepting(state) for state in states)


def may_go_on(program: Program, actual: Sequence[ActualStep]) -> bool:
    """Return whether a run that has not ended is a beginning of what matches; every state leads to the end."""
    return _follow(program, actual)[1] == len(actual)


def find_dead_end(program: Program, actual: Sequence[ActualStep]) -> tuple[int, list[int]]:
    """Return how many supersteps a run follows the reference, and the states it is in then."""
    states, count = _follow(program, actual)
    return count, states


def find_furthest(program: Program, actual: Sequence[ActualStep]) -> tuple[int, list[int]]:
    """Return where a run that may begin anywhere gets furthest in the reference, as `find_dead_end` does.

    Args:
        program: A compiled reference whose first state takes any superstep.
        actual: Supersteps that ran, in order.
    """
    states: Sequence[int] = program.closures[0]
    best = (0, max(states))
    for count, step in enumerate(actual):
        states = _advance(program, states, step)
        if max(states) > best[1]:
            best = (count + 1, max(states))
    return best[0], [best[1]]


def _follow(program: Program, actual: Sequence[ActualStep]) -> tuple[list[int], int]:
    """Return the states after the last superstep, or before the first one that nothing takes, and its index."""
    if program.steps is not None and all(program.free):
        return _follow_furthest(program, actual)
    states = list(program.closures[0])
    for count, step in enumerate(actual):
        reached = _advance(program, states, step)
        if not reached:
            return states, count
        states = reached
    return states, len(actual)


def _advance(program: Program, states: Sequence[int], step: ActualStep) -> list[int]:
    """Return all states that a run may be in after one more superstep."""
    reached: dict[int, None] = {}
    for state in states:
        if program.free[state]:
            _add_closure(program, state, reached)
        for edge in program.edges[state]:
            if edge.step is not None and edge.target not in reached and step_matches(edge.step, step):
                _add_closure(program, edge.target, reached)
    return list(reached)


def _add_closure(program: Program, state: int, reached: dict[int, None]) -> None:
    """Add the states that are reached from one without a superstep, in time that all of a superstep's calls share."""
    closure = program.closures[state]
    if len(closure) <= _FEW:
        reached.update(dict.fromkeys(closure))
        return
    waiting = [state]
    while waiting:
        at = waiting.pop()
        if at not in reached:
            reached[at] = None
            waiting += [edge.target for edge in reversed(program.edges[at]) if edge.step is None]


def _follow_furthest(program: Program, actual: Sequence[ActualStep]) -> tuple[list[int], int]:
    """Follow supersteps with gaps between all of them, where who is further on never loses."""
    steps = program.steps or ()
    taken = 0
    for step in actual:
        if taken < len(steps) and step_matches(steps[taken], step):
            taken += 1
    return [taken], len(actual)


def _find_window(steps: Sequence[ExpectedStep], actual: Sequence[ActualStep]) -> bool:
    """Return whether supersteps stand somewhere in a run, in one piece.

    Bit k of a whole number says that the last supersteps are the first k+1 of the reference (Baeza-Yates and Gonnet
    1992, "A new approach to text searching"): one operation per superstep of the run, whatever the reference's length.
    """
    if not steps:
        return True
    kinds: dict[tuple[str, tuple[object, ...]], int] = {}
    for at, expected in enumerate(steps):
        kinds[expected.mode, expected.entries] = kinds.get((expected.mode, expected.entries), 0) | 1 << at
    firsts = [(steps[(bits & -bits).bit_length() - 1], bits) for bits in kinds.values()]
    met: dict[tuple[str, ...], int] = {}
    active, whole = 0, 1 << (len(steps) - 1)
    for step in actual:
        is_plain = not any(isinstance(name, CalledTool) for name in step.names)
        bits = met.get(step.names) if is_plain else None
        if bits is None:
            bits = sum(bits for expected, bits in firsts if step_matches(expected, step))
            met[step.names] = bits
        active = (active << 1 | 1) & bits
        if active & whole:
            return True
    return False
