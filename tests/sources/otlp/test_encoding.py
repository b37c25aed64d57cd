"""Span records written as OTLP JSON."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

from hypothesis import example, given, seed, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from otel_traj.model import Span
from otel_traj.sources import encode_lines
from otel_traj.sources.files.streams import read_stream
from tests.sources.strategies import spans as any_span
from tests.spans import make_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.model import SourceProblem


def _read(lines: Iterable[str]) -> list[Span]:
    problems: list[SourceProblem] = []
    text = "".join(f"{line}\n" for line in lines)
    spans = list(read_stream(io.BufferedReader(io.BytesIO(text.encode())), "copy", problems.append))
    assert problems == []
    return spans


PLAIN = Span(trace_id=make_id("trace", 32), span_id=make_id("span"))


@seed(20250101)
@settings(max_examples=300, deadline=None, database=None)
@given(given_spans=st.lists(any_span, min_size=1, max_size=4))
@example(given_spans=[replace(PLAIN, attributes={"a": float("nan"), "b": 1, "c": True, "d": "\ud800"})])
@example(given_spans=[replace(PLAIN, unreadable=("status", "otel_traj.steps"))])
@example(given_spans=[replace(PLAIN, resource={"a": True}), replace(PLAIN, resource={"a": 1})])
def test_what_is_written_is_read_as_it_was(given_spans: list[Span]) -> None:
    """Every field of every span comes back, what could not be read among them."""
    assert repr(_read(encode_lines(given_spans))) == repr(given_spans)


def test_spans_of_one_resource_share_an_envelope() -> None:
    """A hundred spans stand on a line, their resource and scope once."""
    spans = [
        replace(PLAIN, span_id=make_id(str(number)), resource={"service.name": "shop"})
        for number in range(150)
    ]
    documents = [json.loads(line) for line in encode_lines(spans)]
    assert [len(document["resourceSpans"]) for document in documents] == [1, 1]
    assert [len(document["resourceSpans"][0]["scopeSpans"][0]["spans"]) for document in documents] == [
        100,
        50,
    ]


def test_lines_are_ascii() -> None:
    """No reader takes a separator inside a text for the end of a line."""
    (line,) = encode_lines([replace(PLAIN, name="a\u2028b\u0085c")])
    assert line.isascii()
    assert "\n" not in line
