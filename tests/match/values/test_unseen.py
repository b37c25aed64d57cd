from __future__ import annotations

import threading

import pytest

from otel_traj.match.values.unseen import find_unseen
from otel_traj.rendering import CUT_MARK, render


class Client:
    """Lists no fields."""


def _make_local() -> object:
    class Local:
        """Named by where it was made."""

    return Local()


def _make_ring() -> object:
    ring: list[object] = []
    ring.append(ring)
    return ring


@pytest.mark.parametrize(
    "value",
    [Client(), threading.Lock(), object(), _make_local(), {"a": [Client()]}, _make_ring(), 10**5000, dict],
    ids=["client", "lock", "object", "local class", "inside", "ring", "huge", "class"],
)
def test_values_without_a_form_are_found(value: object) -> None:
    """Whatever rendering names by its type alone is found, at any depth."""
    assert find_unseen(render(value)) == "no_form"


@pytest.mark.parametrize(
    "value",
    [["x" * 200_000], {"k" * 200_000: 1}, list(range(60_000)), {"a": {n: n for n in range(60_000)}}],
    ids=["text", "key", "items", "entries"],
)
def test_cuts_are_found(value: object) -> None:
    """A text, a key, items and entries that were cut are found, and come before what has no form."""
    assert find_unseen(render(value)) == "cut"
    assert find_unseen(render([Client(), CUT_MARK, Client()])) == "cut"


@pytest.mark.parametrize(
    "text",
    ["", "<b>", "<think>", "<a@b.c>", "<http://a.b/c>", "see <a.b>", "<.a>", "<a.>", "<1.5>", "< a.b >"],
)
def test_ordinary_text_is_no_stand_in(text: str) -> None:
    """Tags, addresses and numbers in angle brackets are what they are."""
    assert find_unseen({"a": [text], text: None}) is None


def test_the_search_takes_no_longer_for_hostile_text() -> None:
    """A text of many dots is told apart in one pass."""
    assert find_unseen("<" + "a." * 50_000 + "!") is None
