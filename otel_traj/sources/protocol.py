"""What a source promises, in words: the one seam between the places that keep spans and the rest.

A new place (a backend, another file form) is a class that keeps these promises and passes the contract suite
of the tests; nothing above this package knows more about a source than this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias, runtime_checkable

from otel_traj.model import SourceProblem, Span

__all__ = ["OnProblem", "Source"]

OnProblem: TypeAlias = Callable[[SourceProblem], None]
"""Takes each thing of a source that could not be used; what it raises goes through to the reader's caller."""


@runtime_checkable
class Source(Protocol):
    """A place that spans are read from.

    Order: spans come in the order in which the place keeps them, which says nothing: children come before
    their parents, and one trace is spread over many batches and files.

    Duplicates: a span that is there twice comes twice. Whoever reads decides which copy counts.

    Completeness: every span that has usable ids is yielded, whatever else is wrong around it. What could not be
    used goes to `on_problem`, at the point of the stream where it was met, and never ends the reading. A place
    without a single span yields nothing and reports `empty_source`. Of problems that repeat, the first of each
    code are reported one by one, the rest in one that sums them up.

    Errors: `SourceError` when the place can't be opened or breaks off while it is read (spans yielded before
    stand), `TrajectoryTypeError` when an object in memory is no span. Nothing else is raised because of data.

    Laziness: nothing is opened before the first span is asked for; memory is bounded by one record (a line, a
    document), not by the size of the place. Closing the iterator closes the place. Every call reads anew, but
    for places that can be read only once (stdin, an iterator), where a second call finds nothing.

    Ownership: spans belong to the reader. Those of one batch share their `resource` dict: nobody changes it.
    """

    @property
    def name(self) -> str:
        """The place as the user named it: it stands in problems, errors and reports."""
        ...

    def read_spans(self, on_problem: OnProblem) -> Iterator[Span]:
        """Yield the spans of the place.

        Args:
            on_problem: Called with each thing that could not be used.

        Returns:
            An iterator over spans, decoded as it goes.

        Raises:
            SourceError: The place can't be opened, or breaks off.
            TrajectoryTypeError: An object in memory is no span.
        """
        ...
