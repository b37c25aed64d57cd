"""Random graphs and what is done with them, as plain data: printed whole when a law fails, and built again from it.

A graph of this form always ends: edges lead onwards, and a node chooses another way only as often as it has ways.
Left out is what spans and history tell differently (each is an oracle of its own, with what either says): a goto
as an input, cached nodes, `durability="exit"`, time travel on old versions, the recursion limit.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

if TYPE_CHECKING:
    from hypothesis.vendor.pretty import RepresentationPrinter

    from tests.oracles.driver import Mode

__all__ = ["Answer", "Arrival", "Call", "Case", "Deed", "Graph", "How", "Join", "Node", "Target", "Way"]

Deed: TypeAlias = Literal["mark", "ask", "fail", "tool", "chain", "sub", "call", "alone", "leave"]
"""What a node does: nothing but count its visit; ask the user; raise; call a tool; be a sequence of runnables; be a
graph; call a graph in its function; call one that is none of its own; leave for a node of the graph above."""
Answer: TypeAlias = Literal["all", "first", "last"]
"""Which of the pending interrupts a resume answers."""
How: TypeAlias = Literal["invoke", "stream", "close"]
"""How a graph is called; `close` takes the first chunk of a stream and closes it."""
Join: TypeAlias = tuple[tuple[str, ...], str]
"""Nodes that must all have run, and the node that then runs."""


class _Shown:
    """Prints a record without the fields that have their default."""

    __slots__ = ()

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:  # noqa: ARG002
        shown = {each.name: getattr(self, each.name) for each in fields(cast("Any", self))}
        defaults = {each.name: each.default for each in fields(cast("Any", self))}
        given = {name: value for name, value in shown.items() if value != defaults[name]}
        printer.repr_call(type(self).__name__, (), given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target(_Shown):
    """Where a way leads."""

    node: str
    copies: int = 0
    """So many tasks by `Send`; 0: one, by an edge."""


Way: TypeAlias = tuple[Target, ...]
"""What runs after a node, all at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node(_Shown):
    """One node."""

    name: str
    does: Deed = "mark"
    times: int = 1
    """How often: questions of one visit, failures in all, calls of a graph in one visit."""
    to: tuple[str, ...] = ()
    """Edges."""
    ways: tuple[Way, ...] = ()
    """The k-th one is taken at the k-th visit of a run; later visits take none."""
    by_command: bool = False
    """The ways are taken by `Command(goto=...)`, not by a conditional edge."""
    defer: bool = False
    retried: bool = False
    """It has a RetryPolicy."""
    exit: str = ""
    """Where the nodes of its inner graph leave for."""
    inner: Graph | None = None
    memory: bool | None = None
    """The `checkpointer` that the inner graph is compiled with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph(_Shown):
    """A graph."""

    nodes: tuple[Node, ...]
    """As they are declared."""
    entry: tuple[str, ...] = ()
    """Edges from the start."""
    entry_way: Way = ()
    """A conditional entry, whose `__start__` is a task of its own."""
    joins: tuple[Join, ...] = ()
    pause_before: tuple[str, ...] = ()
    pause_after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(_Shown):
    """One call of the graph."""

    begins: bool = False
    """Gives new input; else it goes on with what is pending, by answers or by None."""
    answer: Answer = "all"
    how: How = "invoke"
    one_by_one: bool = False
    """Tasks of a superstep wait for one another: `max_concurrency=1`."""
    edit: str = ""
    """The state is first updated as this node would."""
    back: int = 0
    """It goes on from a checkpoint so many before the last one."""
    thread: int = 0
    process: int = 0
    """Which of two handlers records it: a process that ended knows nothing of the next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival(_Shown):
    """In what order, batches and copies spans arrive."""

    seed: int = 0
    batch: int = 1
    """Spans of one line."""
    copies: int = 0
    """How many spans of a hundred arrive twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case(_Shown):
    """A graph, how it is called, and how its spans arrive."""

    graph: Graph
    calls: tuple[Call, ...]
    mode: Mode = "sync"
    threads: tuple[str, str] = ("t0", "t1")
    arrival: Arrival = Arrival()
