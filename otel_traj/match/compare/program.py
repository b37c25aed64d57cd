"""A reference as a machine: states, and the supersteps that lead from one to the next.

Matching is that of regular expressions, over supersteps instead of characters: an optional superstep, a loop or a
gap is never decided too early, because all states that a run may be in are followed at once (Thompson 1968). The
same machine tells whether a run matches (`follow`) and what the cheapest way to a match is (`align`).

A trajectory mode changes the machine and nothing else: `starts_with` adds a gap behind, `contains` one on either
side, `subsequence` one everywhere, `so_far` may stop in any state.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from otel_traj.errors import InvalidReferenceError
from otel_traj.match.reference.items import Alternatives, AnySteps, Group, Item
from otel_traj.match.supersteps import Bounds, ExpectedStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Edge", "OrderedMode", "Program", "compile_items"]

OrderedMode: TypeAlias = Literal["strict", "starts_with", "so_far", "contains", "subsequence"]

_MOST_STATES: Final = 200_000
_MOST_SKIPS: Final = 1_000_000
"""Pairs of states one of which is reached from the other without a superstep."""
_ONCE: Final = Bounds()


@dataclass(frozen=True, slots=True)
class Edge:
    """A way from a state to another one."""

    step: ExpectedStep | None
    """The superstep that it takes; None takes none."""
    target: int
    bounds: Bounds = _ONCE
    """How often the loop that it belongs to may run."""


@dataclass(slots=True)
class Program:
    """A compiled reference."""

    edges: list[list[Edge]] = field(default_factory=list)
    """By state, in order of preference."""
    free: list[bool] = field(default_factory=list)
    """By state, whether any superstep may pass there."""
    end: int = 0
    """The state in which a run has matched; it begins in state 0."""
    may_stop_anywhere: bool = False
    steps: tuple[ExpectedStep, ...] | None = None
    """The supersteps, where they simply follow one another; None where there is more to it."""
    closures: list[tuple[int, ...]] = field(default_factory=list)
    """By state, all states that are reached without a superstep, itself first."""
    has_joins: bool = False
    """Whether a state may lead to one that was made before it."""
    is_plain: bool = False
    """Whether it is nothing but its supersteps, one after another."""
    is_window: bool = False
    """Whether it is its supersteps, one after another, anywhere in a run."""

    def add_state(self, *, free: bool = False) -> int:
        """Add a state and return it."""
        if len(self.edges) >= _MOST_STATES:
            raise InvalidReferenceError(
                f"the reference unfolds to more than {_MOST_STATES:,} supersteps: loops in loops multiply. Write"
                f" smaller bounds, or None as max for no bound."
            )
        self.edges.append([])
        self.free.append(free)
        return len(self.edges) - 1

    def is_accepting(self, state: int) -> bool:
        """Return whether a run may end in a state."""
        return self.may_stop_anywhere or self.end in self.closures[state]


def compile_items(items: Sequence[Item], mode: OrderedMode) -> Program:
    """Return the machine of a reference.

    Args:
        items: What the reference holds.
        mode: How whole trajectories are compared.

    Raises:
        InvalidReferenceError: It unfolds to more than 200,000 supersteps, or very many in a row may be left out.
    """
    program = Program(may_stop_anywhere=mode == "so_far")
    is_free = mode == "subsequence"
    compiler = _Compiler(program, is_free=is_free)
    state = program.add_state(free=is_free or mode == "contains")
    if mode == "contains":
        # Its own state, so that a loop that begins the reference does not lead back into the gap.
        state = compiler.step_over(state)
    program.end = compiler.add_all(items, state, _ONCE)
    if mode in ("starts_with", "contains"):
        program.end = compiler.step_over(program.end, free=True)
    if all(isinstance(item, ExpectedStep) and item.bounds.is_once for item in items):
        program.steps = tuple(item for item in items if isinstance(item, ExpectedStep))
    program.closures = _close_all(program)
    program.has_joins = compiler.has_joins
    program.is_plain = mode == "strict" and program.steps is not None
    program.is_window = mode == "contains" and program.steps is not None
    return program


class _Compiler:
    def __init__(self, program: Program, *, is_free: bool) -> None:
        self.program = program
        self.is_free = is_free
        self.has_joins = False

    def step_over(self, state: int, *, free: bool | None = None) -> int:
        """Return a new state that is reached from another one without a superstep."""
        fresh = self.program.add_state(free=self.is_free if free is None else free)
        self.program.edges[state].append(Edge(None, fresh))
        return fresh

    def add_all(self, items: Iterable[Item], state: int, bounds: Bounds) -> int:
        for item in items:
            state = self._add(item, state, bounds)
        return state

    def _add(self, item: Item, state: int, bounds: Bounds) -> int:
        if isinstance(item, AnySteps):
            return self.step_over(state, free=True)
        if isinstance(item, Alternatives):
            ends = [self.add_all(choice, self.step_over(state), bounds) for choice in item.choices]
            return self._join(ends)
        if isinstance(item, ExpectedStep) and item.bounds.is_once:
            return self._add_step(item, state, bounds)
        return self._add_rounds(item, state)

    def _add_step(self, step: ExpectedStep, state: int, bounds: Bounds) -> int:
        target = self.program.add_state(free=self.is_free)
        self.program.edges[state].append(Edge(step, target, bounds))
        return target

    def _add_rounds(self, item: Group | ExpectedStep, state: int) -> int:
        bounds = item.bounds
        for _ in range(bounds.min):
            state = self._add_round(item, state)
        if bounds.max is None:
            # A state of its own: what comes before or after the loop must not run in its rounds.
            self.has_joins = True
            loop = self.step_over(state)
            self.program.edges[self._add_round(item, loop)].append(Edge(None, loop))
            return self.step_over(loop)
        ends = [state]
        for _ in range(bounds.max - bounds.min):
            state = self._add_round(item, state)
            ends.append(state)
        return self._join(ends) if len(ends) > 1 else state

    def _add_round(self, item: Group | ExpectedStep, state: int) -> int:
        if isinstance(item, ExpectedStep):
            return self._add_step(item, state, item.bounds)
        return self.add_all(item.items, self.step_over(state), item.bounds)

    def _join(self, ends: Sequence[int]) -> int:
        end = self.program.add_state(free=self.is_free)
        for each in ends:
            self.program.edges[each].append(Edge(None, end))
        return end


def _close_all(program: Program) -> list[tuple[int, ...]]:
    closures: list[tuple[int, ...]] = []
    total = 0
    for state in range(len(program.edges)):
        closures.append(_close(program, state))
        total += len(closures[-1])
        if total > _MOST_SKIPS:
            raise InvalidReferenceError(
                "too many supersteps in a row of the reference may be left out, so there are too many ways through it."
                " Write smaller bounds, None as max for no bound, or a Gap."
            )
    return closures


def _close(program: Program, state: int) -> tuple[int, ...]:
    if all(edge.step is not None for edge in program.edges[state]):
        return (state,)
    reached: dict[int, None] = {}
    waiting = [state]
    while waiting:
        at = waiting.pop()
        if at not in reached:
            reached[at] = None
            waiting += [edge.target for edge in reversed(program.edges[at]) if edge.step is None]
    return tuple(reached)
