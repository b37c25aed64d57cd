"""A source that keeps what it gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from msgspec.structs import replace

from otel_traj.sources import KeptSource, open_source
from tests.sources.reading import refuse
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from otel_traj.model import Span


def _record() -> list[Span]:
    run = RecordedRun("r")
    run.task("a", 1)
    run.task("b", 2)
    return run.spans()


def _keep(spans: list[Span]) -> KeptSource:
    return KeptSource(open_source(spans))


def test_a_span_that_comes_again_is_kept_once() -> None:
    """A backend is read several times until a run is whole; a number that is none does not make a span another one."""
    spans = [replace(span, attributes=span.attributes | {"odd": math.nan}) for span in _record()]
    kept = _keep([*spans, *spans[::-1]])
    for _ in range(2):
        assert len(list(kept.read_spans(refuse))) == 6
    assert list(map(repr, kept.spans)) == list(map(repr, spans))


def test_copies_that_differ_are_all_kept() -> None:
    """Which is right is for whoever reads them to say; both stand where the first one stood."""
    first, *others = _record()
    other = replace(first, end_ns=0)
    kept = _keep([first, *others, other])
    list(kept.read_spans(refuse))
    assert kept.spans == [first, other, *others]


def test_it_is_known_as_the_source_that_it_keeps() -> None:
    """Name and abilities are those of the other source."""
    source = open_source(_record())
    kept = KeptSource(source)
    assert (kept.name, kept.capabilities, kept.spans) == (source.name, source.capabilities, [])
