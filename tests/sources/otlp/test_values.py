from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from otel_traj.sources.otlp.values import (
    MAX_VALUE_DEPTH,
    UnreadableValueError,
    decode_attributes,
    decode_count,
    decode_value,
    get_field,
)
from tests.sources.encoding import encode_value
from tests.sources.strategies import attribute_values

if TYPE_CHECKING:
    from otel_traj.model import AttributeValue


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"stringValue": "x"}, "x"),
        ({"string_value": "x"}, "x"),
        ({"stringValue": "null"}, "null"),
        ({"stringValue": ""}, ""),
        ({"intValue": "5"}, 5),
        ({"intValue": 5}, 5),
        ({"intValue": 5.0}, 5),
        ({"int_value": "-9223372036854775808"}, -(2**63)),
        ({"boolValue": False}, False),
        ({"bool_value": "true"}, True),
        ({"doubleValue": 1}, 1.0),
        ({"doubleValue": "1.5"}, 1.5),
        ({"double_value": "Infinity"}, math.inf),
        ({"doubleValue": "-Infinity"}, -math.inf),
        ({"bytesValue": "aGk="}, b"hi"),
        ({"bytes_value": "aGk"}, b"hi"),
        ({"bytesValue": "-_8="}, b"\xfb\xff"),
        ({"bytesValue": ""}, b""),
        ({"arrayValue": {"values": [{"intValue": 1}, {}, {"stringValue": "x"}]}}, [1, None, "x"]),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [], "fieldOfTheFuture": 1}}, {}),
        ({"array_value": {"values": None}}, []),
        ({"kvlistValue": {"values": [{"key": "k", "value": {"boolValue": True}}]}}, {"k": True}),
        ({"kvlist_value": {"values": [{"key": "k"}]}}, {"k": None}),
        ({}, None),
        (None, None),
        ({"stringValue": None}, None),
        ({"stringValue": None, "intValue": 3}, 3),
        ({"stringValue": "x", "fieldOfTheFuture": 1}, "x"),
    ],
)
def test_values_in_every_spelling(message: object, expected: object) -> None:
    """Numbers as text, text as numbers, both cases of the key, null and empty forms."""
    value = decode_value(message)
    assert value == expected
    assert type(value) is type(expected)


def test_nan_is_a_number() -> None:
    """A NaN comes as text."""
    value = decode_value({"doubleValue": "NaN"})
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize(
    "message",
    [
        {"fieldOfTheFuture": 1},
        {"fieldOfTheFuture": None},
        {"stringValueStrindex": 3},
        {"intValue": "abc"},
        {"intValue": 1.5},
        {"intValue": True},
        {"intValue": "9" * 5000},
        {"stringValue": 5},
        {"doubleValue": "x"},
        {"boolValue": "maybe"},
        {"bytesValue": "!"},
        {"bytesValue": 5},
        {"arrayValue": "x"},
        {"arrayValue": {"values": 5}},
        {"arrayValue": {"values": ["x"]}},
        {"kvlistValue": {"values": ["x"]}},
        {"kvlistValue": {"a": 1}},
        {"arrayValue": {"items": []}},
        {"kvlistValue": {"values": [{"key": 5}]}},
        "x",
        5,
        [],
    ],
)
def test_what_is_no_value_is_refused(message: object) -> None:
    """An unknown kind is not the null value, and no scalar is guessed from another."""
    with pytest.raises(UnreadableValueError):
        decode_value(message)


def test_values_are_decoded_to_a_bounded_depth() -> None:
    """What nests deeper than anybody writes is refused; one level less is not."""
    message: dict[str, Any] = {"intValue": 1}
    for _ in range(MAX_VALUE_DEPTH):
        message = {"arrayValue": {"values": [message]}}
    assert decode_value(message)
    with pytest.raises(UnreadableValueError):
        decode_value({"kvlistValue": {"values": [{"key": "k", "value": message}]}})


@given(attribute_values)
def test_what_was_encoded_is_decoded(value: AttributeValue) -> None:
    """Any value comes back as it was."""
    assert repr(decode_value(encode_value(value))) == repr(value)


def test_attributes_that_can_not_be_decoded_are_named_and_left_out() -> None:
    """The rest of the list is used; of equal keys the last counts."""
    pairs = [
        {"key": "a", "value": {"stringValue": "1"}},
        {"key": "bad", "value": {"intValue": "x"}},
        "no pair",
        {"key": 5, "value": {"stringValue": "y"}},
        {"key": "bad", "value": "text"},
        {"value": {"stringValue": "no key"}},
        {"key": "a", "value": {"stringValue": "2"}},
    ]
    assert decode_attributes(pairs) == ({"a": "2", "": "no key"}, ["bad", ""])


@pytest.mark.parametrize(
    ("pairs", "unreadable"), [(None, []), ([], []), ({"a": 1}, ["attributes"]), ("x", ["attributes"])]
)
def test_attributes_that_are_no_list(pairs: object, unreadable: list[str]) -> None:
    """Null is an empty list; anything else that is no list is named."""
    assert decode_attributes(pairs) == ({}, unreadable)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, 0),
        ("", 0),
        ("0", 0),
        (0, 0),
        ("5", 5),
        (5.0, 5),
        (1.796e18, 1796 * 10**15),
        (2**64 - 1, 2**64 - 1),
    ],
)
def test_counts_in_every_spelling(value: object, expected: int) -> None:
    """Times and counts come as text, numbers, or rounded floats."""
    assert decode_count(value) == expected


@pytest.mark.parametrize(
    "value", ["x", -1, "-1", 1.5, 2**64, True, [], {}, math.nan, math.inf, "2026-11-30T00:00:00Z"]
)
def test_what_is_no_count_is_refused(value: object) -> None:
    """No negative time, none out of 64 bits, and no date."""
    with pytest.raises(UnreadableValueError):
        decode_count(value)


def test_a_field_is_found_in_either_case() -> None:
    """The camelCase name counts before the snake_case one, null after both."""
    assert get_field({"traceId": "a", "trace_id": "b"}, "traceId") == "a"
    assert get_field({"traceId": None, "trace_id": "b"}, "traceId") == "b"
    assert get_field({}, "traceId") is None
