"""How the words of a problem name a run and its spans.

A problem is read far from the spans: in a report, in a log, by somebody who did not write the graph. Its words hold
what finds the place in any backend, which is the run id, the trace id, and name and id of the span; of many spans
the first few, since `Problem.span_ids` holds them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.reconstruct.facts import Place
    from otel_traj.reconstruct.parts import Part

__all__ = ["SHOWN_SPANS", "name_run", "name_span", "name_spans"]

SHOWN_SPANS = 8
"""How many spans are named before the rest is only counted."""


def name_run(part: Part) -> str:
    """Return the words for the run that a part is a call of."""
    return f"run {part.run_id!r} (trace {part.trace_id})"


def name_span(place: Place) -> str:
    """Return the words for one span."""
    return f"{place.name!r} ({place.span_id})"


def name_spans(places: Sequence[Place], *, shown: int = SHOWN_SPANS) -> str:
    """Return the words for several spans, in their order: so many are named, the rest is counted."""
    rest = len(places) - shown
    return ", ".join(map(name_span, places[:shown])) + (f" and {rest} more" if rest > 0 else "")
