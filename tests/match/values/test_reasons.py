from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.match.values.reasons import MAX_REASON_BYTES, shorten_reason, show_key, show_path


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b-1", 2, "$ref"], "a.b-1[2].$ref"),
        ([0, "a"], "[0].a"),
        (["a.b", "c[0]", "", "a b"], '"a.b"."c[0]".""."a b"'),
        (["größe", "节点"], "größe.节点"),
        (["a", "b", "c", "d", "e", "f"], "a.b.c.d.e.f"),
        (["a", "b", "c", "d", 4, "f", "g"], "a.b.c...[4].f.g"),
    ],
)
def test_paths_are_shown_with_dots_and_positions(parts: list[object], shown: str) -> None:
    """Plain keys stand after dots, others in quotes, positions in brackets; the middle of a long path is left out."""
    assert show_path(parts) == shown


@given(st.lists(st.text(), min_size=1, max_size=4), st.lists(st.text(), min_size=1, max_size=4))
def test_different_paths_never_look_alike(one: list[str], other: list[str]) -> None:
    """No key can forge the path of another."""
    assert (show_path(one) == show_path(other)) is (one == other)


@given(st.text(st.characters()))
def test_keys_and_reasons_are_one_printable_line(text: str) -> None:
    """Whatever a text holds, what is shown of it is printable, bounded, and has a UTF-8 form."""
    assert show_key(text).isprintable()
    assert shorten_reason(text).isprintable()
    assert len(shorten_reason(text * 50).encode()) <= MAX_REASON_BYTES
