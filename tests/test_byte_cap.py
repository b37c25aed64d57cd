from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from otel_traj.byte_cap import cap_text
from otel_traj.reconstruct.content import decode_content
from otel_traj.rendering import CUT_MARK, clean_text, render_json

TEXTS = st.text(max_size=300).map(clean_text) | st.text("äß€😀a", min_size=20, max_size=300)
LIMITS = st.integers(64, 400)


@given(TEXTS, LIMITS)
def test_capped_text_keeps_its_head_and_tail(text: str, limit: int) -> None:
    """A text within the limit is itself; a longer one is within it, head and tail whole characters of its own."""
    capped = cap_text(text, limit)
    size = len(text.encode())
    assert len(capped.encode()) <= limit
    if size <= limit:
        assert capped == text
        return
    head, _, rest = capped.partition(CUT_MARK)
    count, _, tail = rest.partition(" bytes]")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert int(count) == size - len(head.encode()) - len(tail.encode())
    assert limit - len(capped.encode()) <= 8
    assert not head or not tail or abs(len(head.encode()) - len(tail.encode())) <= 6


@given(
    st.recursive(
        st.text() | st.integers() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    LIMITS,
)
def test_cut_json_is_known_as_cut(value: object, limit: int) -> None:
    """What a reader makes of a capped JSON text is the value itself, or nothing, said to be cut."""
    whole = render_json(value)
    read, was_cut = decode_content(cap_text(whole, limit))
    assert was_cut == (len(whole.encode()) > limit or CUT_MARK in whole)
    assert read == (None if was_cut else json.loads(whole))


def test_no_limit_cuts_nothing() -> None:
    """None leaves a text of megabytes as it is."""
    text = "a" * 3_000_000
    assert cap_text(text, None) is text
