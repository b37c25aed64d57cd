from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.model import Span
from otel_traj.sources.otlp.envelope import find_batches
from otel_traj.sources.otlp.lenient import LenientDecoder
from otel_traj.sources.otlp.strict import StrictDecoder
from otel_traj.sources.position import Position
from otel_traj.sources.problems import ProblemLog
from tests.sources.encoding import encode_document
from tests.sources.reading import fingerprint, refuse
from tests.sources.strategies import spans

SPAN = Span(
    trace_id="0af7651916cd43dd8448eb211c80319c",
    span_id="b7ad6b7169203331",
    attributes={"a": "x", "n": 1},
    resource={"service.name": "shop"},
)
DOCUMENT = encode_document([SPAN])


def decode_strictly(document: object) -> list[Span] | None:
    """Return what the strict path makes of a document."""
    return StrictDecoder().decode(json.dumps(document).encode())


def decode_leniently(document: object) -> list[Span]:
    """Return what the slow path makes of a document, where it finds nothing wrong."""
    batches = find_batches(document)
    assert batches is not None
    return list(LenientDecoder(ProblemLog("test", refuse)).decode(batches, Position(line=1)))


@given(st.lists(spans, max_size=3))
def test_both_paths_give_the_same(recorded: list[Span]) -> None:
    """Whatever the strict path takes, the lenient one reads alike."""
    document = json.loads(json.dumps(encode_document(recorded)))
    strict = decode_strictly(document)
    lenient = decode_leniently(document)
    assert fingerprint(lenient) == fingerprint(recorded)
    assert strict is None or fingerprint(strict) == fingerprint(lenient)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
        max_leaves=4,
    ),
    st.data(),
)
def test_both_paths_agree_on_documents_with_one_field_replaced(value: Any, data: st.DataObject) -> None:  # noqa: ANN401 - any JSON
    """The strict path takes no value that the lenient one would read in another way."""
    document = copy.deepcopy(DOCUMENT)
    places = list(_places(document))
    holder, key = data.draw(st.sampled_from(places))
    holder[key] = value
    strict = decode_strictly(document)
    if strict is not None:
        assert fingerprint(strict) == fingerprint(decode_leniently(json.loads(json.dumps(document))))


def _places(message: Any) -> Any:  # noqa: ANN401 - any JSON
    items = message.items() if isinstance(message, dict) else enumerate(message)
    for key, value in items:
        yield message, key
        if isinstance(value, dict | list):
            yield from _places(value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"traceId": "0a', '"traceId": "0A'),
        ('"spanId": "b7ad6b7169203331"', '"spanId": "b7"'),
        ('"spanId": "b7ad6b7169203331"', '"spanId": "0000000000000000"'),
        ('"spanId"', '"span_id"'),
        ('"kind": 0', '"kind": "SPAN_KIND_CLIENT"'),
        ('"code": 0', '"code": 3'),
        ('"events": []', '"events": null'),
        ('"name": ""', '"unknown": ""'),
        ('"stringValue": "x"', '"string_value": "x"'),
        ('"intValue": "1"', '"intValue": null'),
        ('"startTimeUnixNano": "0"', '"startTimeUnixNano": "-1"'),
        ('"resourceSpans"', '"resource_spans"'),
        ("{", '{"x": NaN, '),
    ],
)
def test_what_is_not_strict_is_refused_whole(old: str, new: str) -> None:
    """One field out of form, and the line goes the slow way, where nothing is lost."""
    text = json.dumps(DOCUMENT)
    assert old in text
    assert StrictDecoder().decode(text.replace(old, new, 1).encode()) is None


def test_equal_resources_of_several_lines_are_one_dict() -> None:
    """A million lines of one service hold its resource once."""
    decoder = StrictDecoder()
    text = json.dumps(DOCUMENT).encode()
    first, second = decoder.decode(text), decoder.decode(text)
    assert first is not None
    assert second is not None
    assert first[0].resource is second[0].resource
