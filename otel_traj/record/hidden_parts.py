"""Which parts of a value are hidden by a name that rendering does not show, or shows elsewhere.

A named tuple is rendered as a list, a field of a model by its own name and not its alias, a column of a table without
its label, and a header may be `{"name": "Authorization", "value": ...}`. Who masks a key means all of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

__all__ = ["find_hidden_parts"]

_NAMING: Final = ("name", "key", "Name", "Key")
_VALUES: Final = ("value", "values", "Value", "Values")
_ALIASES: Final = ("alias", "serialization_alias", "validation_alias")


def find_hidden_parts(value: object, hides: Callable[[object], bool]) -> Collection[object]:
    """Return which parts are hidden by what else names them.

    Args:
        value: A container, an object with fields, or an array.
        hides: Returns whether what stands under a key is hidden.

    Returns:
        Keys of mappings and objects, positions in sequences and arrays.
    """
    if isinstance(value, tuple):
        return _find_in_tuple(value, hides)
    if isinstance(value, Mapping):
        is_hidden = any(hides(value.get(key)) for key in _NAMING)
        return _VALUES if is_hidden else ()
    fields = getattr(type(value), "model_fields", None)
    if isinstance(fields, Mapping):
        return [
            name
            for name, info in fields.items()
            if any(hides(getattr(info, each, None)) for each in _ALIASES)
        ]
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return _find_in_array(value, hides)
    return ()


def _find_in_tuple(value: tuple[object, ...], hides: Callable[[object], bool]) -> Collection[object]:
    names = getattr(type(value), "_fields", None)
    if isinstance(names, tuple):
        return [position for position, name in enumerate(names) if hides(name)]
    return (1,) if len(value) == 2 and hides(value[0]) else ()


def _find_in_array(value: object, hides: Callable[[object], bool]) -> Collection[object]:
    """Return the positions in a column of a table, which has a name and a label per row (pandas, polars)."""
    length = value.shape[0] if isinstance(value.shape, tuple) and value.shape else 0  # type: ignore[attr-defined]  # asked for by the caller
    if hides(getattr(value, "name", None)):
        return range(length)
    labels: Iterable[object] = getattr(value, "index", ())
    if callable(labels) or not hasattr(labels, "__iter__"):
        return ()
    return [position for position, label in zip(range(length), labels, strict=False) if hides(label)]
