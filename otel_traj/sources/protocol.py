"""What a source promises, in words: the one seam between the places that keep spans and the rest.

A new place (a backend, another file form) is a class that keeps these promises and passes the contract suite
of the tests; nothing above this package knows more about a source than this. What a place can do beyond the least
stands in its `Capabilities`, whose defaults are the least able place there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias, runtime_checkable

from msgspec import Struct

from otel_traj.model import AttributeValue, SourceProblem, Span

__all__ = ["ALL_SPANS", "Capabilities", "OnProblem", "Source", "SpanQuery"]

OnProblem: TypeAlias = Callable[[SourceProblem], None]
"""Takes each thing of a source that could not be used; what it raises goes through to the reader's caller."""


class Capabilities(Struct, frozen=True, kw_only=True):
    """What a place can do; the defaults are a place that gives what it has, once."""

    rereads: bool = False
    """A second reading gives the spans again; stdin and iterators give them once."""
    lags: bool = False
    """What was exported a moment ago may not be there yet, so that a later reading can give more."""
    selects: frozenset[str] = frozenset()
    """Fields of a query that the place applies, in part at least; the others it ignores."""
    reads_threads: bool = False
    """It gives less than it keeps, and can be asked for the traces of one thread."""


class SpanQuery(Struct, frozen=True, kw_only=True):
    """Which spans are wanted: those of the traces that hold a run which meets all that is given.

    A place may give more than was asked for, never less of what it keeps: whoever reads filters again. Of each trace
    that a place gives it gives all.
    """

    graph: str | None = None
    service: str | None = None
    """`service.name` of the resource."""
    thread: str | None = None
    run: str | None = None
    """Callback run id, of any invocation or subgraph run."""
    traces: tuple[str, ...] = ()
    """Trace ids; empty for any."""
    since_ns: int | None = None
    """Something in the trace started then or later."""
    until_ns: int | None = None
    """Something in the trace started then or earlier."""
    attributes: dict[str, AttributeValue] = {}
    """Of the graph-run span or its resource; a text stands for a number or bool by its written form."""
    completes: bool = False
    """It completes runs that were read already: limits and filters in the place's own name do not hold for it."""


ALL_SPANS = SpanQuery()
"""Asks for all that the place's name stands for."""


@runtime_checkable
class Source(Protocol):
    """A place that spans are read from.

    Order: spans come in the order in which the place keeps them, which says nothing: children come before
    their parents, and one trace is spread over many batches and files.

    Duplicates: a span that is there twice comes twice. Whoever reads decides which copy counts.

    Completeness: every span that has usable ids is yielded, whatever else is wrong around it. What could not be
    used goes to `on_problem`, at the point of the stream where it was met, and never ends the reading. A place
    without a single span yields nothing and reports `empty_source`. Of problems that repeat, the first of each
    code are reported one by one, the rest in one that sums them up. A trace that the place does not give whole is
    reported as `partial_response` with its id: the runs in it are then incomplete.

    Selection: see `SpanQuery`. Times bound what began, not what ended, and both ends count. An id that the place
    does not know is no error: nothing of it is yielded.

    Errors: `SourceError` when the place can't be opened or breaks off while it is read (spans yielded before
    stand), `TrajectoryTypeError` when an object in memory is no span. Nothing else is raised because of data. No
    secret of the user's (a password in the name, a token) stands in a name, a problem or an error.

    Laziness: nothing is opened before the first span is asked for; memory is bounded by one record (a line, a
    document, the answer with one trace), not by the size of the place. Closing the iterator closes the place. Every
    call reads anew, but for places that can be read only once (`Capabilities.rereads`), where a second call finds
    nothing.

    Ownership: spans belong to the reader. Those of one batch share their `resource` dict: nobody changes it.
    """

    @property
    def name(self) -> str:
        """The place as the user named it, without secrets: it stands in problems, errors and reports."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What the place can do; it does not change."""
        ...

    def read_spans(self, on_problem: OnProblem, query: SpanQuery = ALL_SPANS) -> Iterator[Span]:
        """Yield the spans of the place.

        Args:
            on_problem: Called with each thing that could not be used.
            query: Which spans are wanted; all of them by default.

        Returns:
            An iterator over spans, decoded as it goes.

        Raises:
            SourceError: The place can't be opened, or breaks off.
            TrajectoryTypeError: An object in memory is no span.
        """
        ...
