"""Random cases: graphs of 2 to 30 nodes, called once or several times."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from hypothesis import strategies as st

from tests.laws.spec import Arrival, Call, Case, Deed, Graph, Node, Target

if TYPE_CHECKING:
    from tests.laws.spec import Join
    from tests.oracles.driver import Mode

__all__ = ["Processes", "cases"]

Processes: TypeAlias = Literal["one", "two", "handed over"]
"""Which process records a call: always one, one of two at random, or the second one from some call on."""

MAX_NODES = 30
MAX_DEPTH = 3
MAX_INNER_NODES = 6
MAX_SENDS = 2
"""Fan-outs of one graph: three of them in a row would make dozens of tasks."""

NAMES = (
    *("a", "b", "c", "d", "e", "plan", "work", "join", "ask", "model", "tools", "node10", "node9", "node1"),
    *("Agent", "Überblick", "两", "with space", "dash-ed", "dot.ted", "sla/sh", "quo'te", "x" * 70, "laws"),
    *("LangGraph", "invoke_node a", "start", "end", "interrupt", "__x__"),
)
"""Strides through them give names whose order is not the declared one."""
STRIDES = (1, 7, 11, 13, 17, 29)
LONG_THREADS = ("t" * 64 + "0", "t" * 64 + "1")
"""Equal once their values are cut at 64 bytes."""

CALM: tuple[Deed, ...] = (*("mark",) * 6, "fail", "fail", "tool", "chain", "sub", "sub", "call", "alone")
CALLING: tuple[Deed, ...] = ("sub", "call", "alone")


@dataclass(frozen=True)
class Allowed:
    """What the nodes of a graph may do, for what stands above it."""

    ask: bool = True
    keep: bool = True
    """Call a graph with a memory of its own."""
    leave: bool = False
    levels: int = MAX_DEPTH
    """How many levels of graphs may stand below."""

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """What to draw from."""
        return CALM + (("ask",) * 2 if self.ask else ()) + (("leave",) if self.leave else ())


@dataclass
class Sketch:
    """A node that still gets edges."""

    name: str
    does: Deed
    times: int = 1
    to: set[str] = field(default_factory=set)
    ways: list[list[Target]] = field(default_factory=list)
    by_command: bool = False
    defer: bool = False
    retried: bool = False
    exit: str = ""
    inner: Graph | None = None
    memory: bool | None = None

    def lead(self, target: Target, number: int) -> None:
        """Add a target to the way of the so manieth visit."""
        while len(self.ways) <= number:
            self.ways.append([])
        if all(target.node != other.node for other in self.ways[number]):
            self.ways[number].append(target)

    def finish(self) -> Node:
        """Return the node."""
        return Node(
            name=self.name,
            does=self.does,
            times=self.times,
            to=tuple(sorted(self.to)),
            ways=tuple(map(tuple, self.ways)),
            by_command=self.by_command and bool(self.ways),
            defer=self.defer,
            retried=self.retried,
            exit=self.exit,
            inner=self.inner,
            memory=self.memory,
        )


def one_in(draw: st.DrawFn, number: int) -> bool:
    """Draw whether something rare happens."""
    return draw(st.integers(0, number - 1)) == number - 1


@st.composite
def graphs(draw: st.DrawFn, *, size: int, allowed: Allowed) -> Graph:
    """Draw a graph.

    Args:
        draw: Given by hypothesis.
        size: The most nodes that it and the graphs below it have.
        allowed: What its nodes may do.
    """
    count = draw(st.integers(min(2, size), size))
    start, stride = draw(st.integers(0, len(NAMES) - 1)), draw(st.sampled_from(STRIDES))
    names = [NAMES[(start + number * stride) % len(NAMES)] for number in range(count)]
    rest = size - count
    sketches: list[Sketch] = []
    for number, name in enumerate(names):
        sketch = draw_node(draw, name, names[number + 1 :], rest, allowed)
        rest -= 0 if sketch.inner is None else count_nodes(sketch.inner)
        sketches.append(sketch)
    joins = draw_edges(draw, sketches)
    draw_ways_back(draw, sketches)
    entry = [names[0], *(name for name in names[1:] if one_in(draw, 10))]
    is_way = one_in(draw, 5)
    return Graph(
        nodes=tuple(sketch.finish() for sketch in sketches),
        entry=() if is_way else tuple(entry),
        entry_way=tuple(Target(node=name) for name in entry) if is_way else (),
        joins=joins,
        pause_before=draw_some(draw, names) if one_in(draw, 6) else (),
        pause_after=draw_some(draw, names) if one_in(draw, 6) else (),
    )


def draw_some(draw: st.DrawFn, names: list[str]) -> tuple[str, ...]:
    """Draw a few names."""
    return tuple(name for name in names if one_in(draw, 4))


def count_nodes(graph: Graph) -> int:
    """Return how many nodes a graph and those below it have."""
    return sum(1 + (count_nodes(node.inner) if node.inner is not None else 0) for node in graph.nodes)


def draw_node(draw: st.DrawFn, name: str, later: list[str], rest: int, allowed: Allowed) -> Sketch:
    """Draw what a node does.

    Args:
        draw: Given by hypothesis.
        name: Its name.
        later: The nodes declared after it.
        rest: How many nodes its inner graph may have.
        allowed: What it may do.
    """
    does = draw(st.sampled_from(allowed.deeds))
    if does in CALLING and (rest < 1 or not allowed.levels):
        does = "mark"
    sketch = Sketch(name, does)
    if does in CALLING:
        draw_inner(draw, sketch, later, rest, allowed)
    if does in ("ask", "fail", "call", "alone") and not sketch.memory:
        sketch.times = draw(st.integers(1, 2))
    if does in ("fail", "sub", "call"):
        sketch.retried = draw(st.booleans())
    if does not in ("sub", "leave"):
        sketch.by_command = one_in(draw, 6)
    return sketch


def draw_inner(draw: st.DrawFn, sketch: Sketch, later: list[str], rest: int, allowed: Allowed) -> None:
    """Draw the graph that a node is or calls."""
    is_own = sketch.does != "alone"
    if is_own:
        sketch.memory = draw(st.sampled_from((None, None, None, False, True)))
        if sketch.memory and not allowed.keep:
            sketch.memory = None
        if later and one_in(draw, 3):
            sketch.exit = draw(st.sampled_from(later))
    keeps = is_own and sketch.memory is not False
    below = replace(
        allowed,
        ask=allowed.ask and keeps,
        keep=allowed.keep and keeps,
        leave=bool(sketch.exit),
        levels=allowed.levels - 1,
    )
    size = draw(st.integers(1, min(rest, MAX_INNER_NODES)))
    sketch.inner = draw(graphs(size=size, allowed=below))


def draw_edges(draw: st.DrawFn, sketches: list[Sketch]) -> tuple[Join, ...]:
    """Draw how every node but the first is reached; return the joins."""
    joins: list[Join] = []
    sends = 0
    for number, sketch in enumerate(sketches[1:], 1):
        earlier = sketches[:number]
        kind = draw(st.sampled_from(("edge", "edge", "edge", "way", "way", "send", "join", "defer")))
        source = earlier[-1 - draw(st.integers(0, min(number - 1, 3)))]
        if kind == "send" and sends < MAX_SENDS and not sketch.memory:
            sends += 1
            source.lead(Target(node=sketch.name, copies=draw(st.integers(1, 3))), 0)
        elif kind in ("way", "send"):
            source.lead(Target(node=sketch.name), 0)
        elif kind == "join" and number >= 2:
            other = earlier[draw(st.integers(0, number - 1))]
            joins.append((tuple(dict.fromkeys((source.name, other.name))), sketch.name))
        else:
            source.to.add(sketch.name)
            sketch.defer = kind == "defer"
        if one_in(draw, 4):
            earlier[draw(st.integers(0, number - 1))].to.add(sketch.name)
    return tuple(joins)


def draw_ways_back(draw: st.DrawFn, sketches: list[Sketch]) -> None:
    """Draw up to two loops. A node that is a graph counts no visits of its own, so none begins at it."""
    for _ in range(draw(st.integers(0, 2))):
        source = sketches[draw(st.integers(0, len(sketches) - 1))]
        back = sketches[draw(st.integers(0, len(sketches) - 1))]
        if source.does != "sub":
            source.lead(Target(node=back.name), draw(st.integers(0, 1)))


@st.composite
def calls(
    draw: st.DrawFn, *, graph: Graph, processes: Processes, mode: Mode, edits: bool
) -> tuple[Call, ...]:
    """Draw one to five calls; the first one mostly begins a run.

    Asynchronous calls are not made one by one: LangGraph forgets coroutines then, which Python warns of. Only where
    one process records them all can it be told that numbers which an edit took up are no call that is missing.
    """
    count = draw(st.integers(1, 5))
    handed_over = draw(st.integers(0, count)) if processes == "handed over" else count
    names = [node.name for node in graph.nodes]
    drawn = []
    for number in range(count):
        begins = not one_in(draw, 20) if number == 0 else one_in(draw, 3)
        may_edit = processes == "one" and number > 0 and not begins
        is_edit = edits and may_edit and one_in(draw, 6)
        drawn.append(
            Call(
                begins=begins,
                answer=draw(st.sampled_from(("all", "all", "first", "last"))),
                how=draw(st.sampled_from(("invoke", "invoke", "invoke", "stream", "close"))),
                one_by_one=mode == "sync" and one_in(draw, 4),
                edit=draw(st.sampled_from(names)) if is_edit else "",
                back=draw(st.integers(1, 4)) if may_edit and not is_edit and one_in(draw, 8) else 0,
                thread=int(one_in(draw, 6)),
                process=draw(st.integers(0, 1)) if processes == "two" else int(number >= handed_over),
            )
        )
    return tuple(drawn)


@st.composite
def cases(
    draw: st.DrawFn, *, processes: Processes = "one", max_nodes: int = MAX_NODES, edits: bool = True
) -> Case:
    """Draw a case.

    Args:
        draw: Given by hypothesis.
        processes: Which process records a call.
        max_nodes: The most nodes that the graph and those below it have.
        edits: Whether the state may be edited between calls.
    """
    mode: Mode = draw(st.sampled_from(("sync", "async")))
    graph = draw(graphs(size=draw(st.integers(2, max_nodes)), allowed=Allowed()))
    return Case(
        graph=graph,
        calls=draw(calls(graph=graph, processes=processes, mode=mode, edits=edits)),
        mode=mode,
        threads=LONG_THREADS if one_in(draw, 4) else ("t0", "t1"),
        arrival=Arrival(
            seed=draw(st.integers(0, 2**16)),
            batch=draw(st.integers(1, 40)),
            copies=draw(st.integers(0, 100)),
        ),
    )
