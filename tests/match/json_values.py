"""Random JSON values for the laws: few keys and scalars, so that two values often have much in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from otel_traj.match.values.values import ValueMode

__all__ = ["MODES", "PLANTED", "any_json", "close_json", "value_modes"]

MODES: tuple[ValueMode, ...] = ("exact", "subset", "superset")

PLANTED = "pl4nted"
"""Stands in each text of `close_json`."""

value_modes = st.sampled_from(MODES)

_keys = st.sampled_from(["a", "b", "c.d"])
_scalars = st.sampled_from([None, True, False, 0, 1, 1.0, 1.5, float("nan"), PLANTED, f"{PLANTED} 2"])


def _contain(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.dictionaries(_keys, inner, max_size=3) | st.lists(inner, max_size=2)


close_json: st.SearchStrategy[object] = st.recursive(_scalars, _contain, max_leaves=6)
"""Values of a small world, content in each text."""

any_json: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.dictionaries(st.text(), inner, max_size=3) | st.lists(inner, max_size=3),
    max_leaves=10,
)
"""Any value that JSON text can hold."""
