"""Laws of reading: what holds for any spans, and for any bytes."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from otel_traj.sources.problems import PROBLEMS_PER_CODE
from tests.sources.encoding import encode_document, encode_lines, respell
from tests.sources.reading import fingerprint, read_bytes
from tests.sources.strategies import json_fragments, spans

if TYPE_CHECKING:
    from otel_traj.model import SourceProblem, Span

seeds = st.integers(0, 2**32)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.one_of(
                st.text(max_size=3),
                st.sampled_from(
                    [
                        "resourceSpans",
                        "resource",
                        "scopeSpans",
                        "scope",
                        "spans",
                        "traceId",
                        "spanId",
                        "attributes",
                        "key",
                        "value",
                        "result",
                        "trace",
                        "batches",
                        "status",
                        "kind",
                        "events",
                        "links",
                        "data",
                        "error",
                        "message",
                    ]
                ),
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def check(data: bytes) -> tuple[list[Span], list[SourceProblem]]:
    """Read bytes, and check what holds for any: spans with ids of full length, few problems, each with words."""
    found, problems = read_bytes(data)
    for span in found:
        assert len(span.trace_id) == 32
        assert len(span.span_id) == 16
        assert len(span.parent_span_id) in (0, 16)
        assert span.start_ns >= 0
        assert span.end_ns >= 0
    assert found or problems
    assert len(problems) <= 5 * (PROBLEMS_PER_CODE + 1)
    assert all(problem.message and problem.source == "bytes" for problem in problems)
    return found, problems


@given(st.lists(spans, max_size=3), seeds, st.booleans(), st.sampled_from([None, 0, 2]), st.booleans())
def test_spans_come_back_from_any_spelling(
    recorded: list[Span],
    seed: int,
    is_snake: bool,
    indent: int | None,
    is_ascii: bool,
) -> None:
    """Cases of keys, forms of ids and numbers, enum names, absent and null defaults, unknown fields, layouts, wrappers."""
    rng = random.Random(seed)
    document = respell(encode_document(recorded), rng, is_snake=is_snake)
    batches = document.get("resourceSpans") or document.get("resource_spans") or []
    wrapped = rng.choice(
        [document, {"result": document}, {"trace": document}, {"batches": batches}, [document]]
    )
    text = json.dumps(wrapped, indent=indent, ensure_ascii=is_ascii)
    found, problems = read_bytes(text.encode())
    assert fingerprint(found) == fingerprint(recorded)
    assert [problem.code for problem in problems] == ([] if recorded else ["empty_source"])


@given(st.lists(spans, min_size=1, max_size=6), seeds, st.integers(1, 4))
def test_batches_and_order_make_no_difference(recorded: list[Span], seed: int, per_line: int) -> None:
    """However spans are split into batches, lines and documents, and in whatever order, the same ones come out."""
    rng = random.Random(seed)
    lines = encode_lines(rng.sample(recorded, len(recorded)), per_line).splitlines(keepends=True)
    rng.shuffle(lines)
    whole = json.dumps(encode_document(recorded), indent=1).encode()
    expected = fingerprint(recorded)
    assert fingerprint(read_bytes(*lines)[0]) == expected
    assert fingerprint(read_bytes(*lines, whole)[0]) == sorted(expected * 2)
    assert fingerprint(read_bytes(whole, *lines)[0]) == sorted(expected * 2)


@given(st.lists(spans, min_size=1, max_size=4), st.data())
def test_a_damaged_line_costs_no_other_line(recorded: list[Span], data: st.DataObject) -> None:
    """Bytes of one line changed, removed or added: all other lines are read as they are."""
    lines = encode_lines(recorded, per_line=1).splitlines()
    index = data.draw(st.integers(0, len(lines) - 1))
    start = data.draw(st.integers(0, len(lines[index])))
    end = data.draw(st.integers(start, min(len(lines[index]), start + 20)))
    junk = data.draw(st.binary(max_size=4)).replace(b"\n", b"")
    others = fingerprint(recorded[:index] + recorded[index + 1 :])
    damaged = lines[index][:start] + junk + lines[index][end:]
    found, _ = check(b"\n".join([*lines[:index], damaged, *lines[index + 1 :], b""]))
    remaining = fingerprint(found)
    for expected in others:
        remaining.remove(expected)
    assert len(remaining) <= 1


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Nothing but spans and problems comes of them."""
    check(data)


@given(json_fragments)
def test_any_pieces_of_json_are_read_or_refused(data: bytes) -> None:
    """Brackets, quotes, documents and line ends in any order."""
    check(data)


@given(st.lists(json_values, max_size=3), st.sampled_from([None, 1]))
def test_any_json_is_read_or_refused(documents: list[object], indent: int | None) -> None:
    """Documents that are nearly OTLP, with anything at any place."""
    check(b"\n".join(json.dumps(document, indent=indent).encode() for document in documents))


@given(st.lists(spans, min_size=1, max_size=2), json_values, st.data())
def test_any_value_at_any_place_is_read_or_refused(
    recorded: list[Span], value: object, data: st.DataObject
) -> None:
    """One field of a valid document replaced by anything."""
    document = json.loads(json.dumps(encode_document(recorded)))
    holder = document
    while True:
        keys = sorted(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = data.draw(st.sampled_from(keys))
        inner = holder[key]
        if not (isinstance(inner, dict | list) and inner) or data.draw(st.booleans()):
            holder[key] = value
            break
        holder = inner
    check(json.dumps(document).encode())
