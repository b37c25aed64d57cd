"""What the rendering leaves out of values that are too deep, too many or too long, and what it costs."""

from __future__ import annotations

import itertools
import tracemalloc
from collections.abc import Iterator, Mapping

from otel_traj.rendering import CUT_MARK, render, render_json


def test_depth_is_bounded() -> None:
    """Below a depth the rest is cut, and says so."""
    value: object = 1
    for _ in range(10_000):
        value = [value]
    text = render_json(value)
    assert text.count("[") < 100
    assert CUT_MARK in text


def test_number_of_elements_is_bounded() -> None:
    """A list and a dict of a million say how much was left out."""
    numbers = render(list(range(1_000_000)))
    assert isinstance(numbers, list)
    assert numbers[-1] == f"{CUT_MARK}950000 items]"
    entries = render({str(number): number for number in range(60_000)})
    assert isinstance(entries, dict)
    assert list(entries)[-1] == f"{CUT_MARK}10000 entries]"


class Endless(Mapping[int, int]):
    """A view of more than any memory holds."""

    def __getitem__(self, key: int) -> int:
        return key

    def __iter__(self) -> Iterator[int]:
        return itertools.count()

    def __len__(self) -> int:
        return 10**12


def test_views_of_more_than_memory_holds_are_read_as_far_as_they_are_shown() -> None:
    """A range and a mapping of a million millions are cut like a list of them, and cost no more."""
    numbers = render(range(10**12))
    assert isinstance(numbers, list)
    assert (len(numbers), numbers[-1]) == (50_001, f"{CUT_MARK}{10**12 - 50_000} items]")
    entries = render(Endless())
    assert isinstance(entries, dict)
    assert list(entries)[-1] == f"{CUT_MARK}{10**12 - 50_000} entries]"


def test_text_is_bounded_with_head_and_tail() -> None:
    """Long text keeps its beginning and its end; many long texts are cut together."""
    shown = render("a" + "b" * 1_000_000 + "c")
    assert isinstance(shown, str)
    assert shown.startswith("ab")
    assert shown.endswith("bc")
    assert CUT_MARK in shown
    assert len(render_json(["x" * 90_000] * 100)) < 2_200_000


def test_long_bytes_are_not_encoded_to_be_cut() -> None:
    """Of bytes without number only as many are read as are shown: head and tail, and how much is left out."""
    shown = render(bytes(60_000_000))
    assert isinstance(shown, str)
    assert shown.startswith("AAAA")
    assert f"{CUT_MARK}79900000 characters]" in shown
    tracemalloc.start()
    render([memoryview(bytes(1_000)), bytearray(60_000_000)])
    assert tracemalloc.get_traced_memory()[1] < 62_000_000
    tracemalloc.stop()


def test_huge_integers_are_named_by_their_size() -> None:
    """An integer that Python itself refuses to print is named."""
    assert render(10**5000) == "<int of 16610 bits>"
