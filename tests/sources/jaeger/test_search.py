"""What is asked of Jaeger: never more than it can compare as whoever reads does."""

from __future__ import annotations

import pytest

from otel_traj.sources import SpanQuery
from otel_traj.sources.backend.address import parse_address
from otel_traj.sources.jaeger.search import list_searches


def list_attributes(value: object) -> dict[str, str]:
    """Return what is asked for where a user selects by one attribute."""
    address = parse_address("jaeger+http://h", allowed=())
    query = SpanQuery(attributes={"k": value})  # type: ignore[dict-item]  # whatever a user may pass
    [search] = list_searches(address, query)
    return search.attributes


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("long", "long"),
        ("3", "3"),
        (-3, "-3"),
        (True, "true"),
        ("true", "true"),
        ("1.2.3", "1.2.3"),
        ("e5", "e5"),
    ],
)
def test_what_jaeger_can_compare_is_asked_for(value: object, text: str) -> None:
    """By its written form."""
    assert list_attributes(value) == {"k": text}


@pytest.mark.parametrize(
    "value",
    [
        *("1.0", "0.5", "-0.0", "1e+20", "1e-07", "inf", "-inf", "nan", "True", "FALSE", "", "x" * 201),
        *(0.5, 1e20, ["a"], {"a": 1}, b"x", None),
    ],
)
def test_what_jaeger_writes_otherwise_is_left_to_the_reader(value: object) -> None:
    """More is given than was asked for, never less: Go writes 1.0 as `1`, and 1e-07 as `1e-7`."""
    assert list_attributes(value) == {}
