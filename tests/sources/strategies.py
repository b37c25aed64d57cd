"""Hypothesis strategies: arbitrary spans, and bytes that look like OTLP JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from otel_traj.model import AttributeValue, Span, SpanEvent, SpanLink

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["attribute_maps", "json_fragments", "spans"]

_texts = st.text(max_size=8)
_times = st.integers(0, 2**64 - 1)
trace_ids = st.integers(1, 2**128 - 1).map(lambda number: f"{number:032x}")
span_ids = st.integers(1, 2**64 - 1).map(lambda number: f"{number:016x}")

_scalars: SearchStrategy[AttributeValue] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    _texts,
    st.sampled_from(["null", "true", "1", "NaN", "{}"]),
    st.binary(max_size=5),
)
attribute_values: SearchStrategy[AttributeValue] = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(list[AttributeValue]),
        st.dictionaries(_texts, inner, max_size=3).map(dict[str, AttributeValue]),
    ),
    max_leaves=4,
)
attribute_maps: SearchStrategy[dict[str, AttributeValue]] = st.dictionaries(
    _texts, attribute_values, max_size=4
)

spans: SearchStrategy[Span] = st.builds(
    Span,
    trace_id=trace_ids,
    span_id=span_ids,
    parent_span_id=st.one_of(st.just(""), span_ids),
    name=_texts,
    start_ns=_times,
    end_ns=_times,
    status=st.sampled_from(["unset", "ok", "error"]),
    status_message=_texts,
    attributes=attribute_maps,
    resource=st.one_of(st.just({}), st.just({"service.name": "shop"}), attribute_maps),
    scope_name=st.sampled_from(["", "otel_traj", "Ω"]),
    scope_version=st.sampled_from(["", "0.1.0"]),
    events=st.lists(
        st.builds(SpanEvent, name=_texts, time_ns=_times, attributes=attribute_maps), max_size=2
    ).map(tuple),
    links=st.lists(
        st.builds(SpanLink, trace_id=trace_ids, span_id=span_ids, attributes=attribute_maps), max_size=2
    ).map(tuple),
    kind=st.integers(0, 5),
    dropped_attributes=st.integers(0, 2**32 - 1),
)

json_fragments: SearchStrategy[bytes] = st.lists(
    st.sampled_from(
        [
            *(bytes([byte]) for byte in b'{}[]",:\\ \n\r\t\x00\x1e01n'),
            b"\xef\xbb\xbf",
            b"\xff",
            b'{"resourceSpans":[',
            b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1","spanId":"2"}]}]}]}',
            b'{"result":',
            b'{"batches":null}',
            b'{"a":1}',
            b'"spans":[',
            b"null",
            b'{"resourceLogs":[]}',
            b"\n  ",
            b"},\n{",
        ]
    ),
    max_size=40,
).map(b"".join)
