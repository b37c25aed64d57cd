"""References as the text of a reference file, for files that a machine begins and people go on with.

One superstep, trajectory, rule or option per line, in YAML, with the quotes and escapes of `yaml_writer`. The same
references always give the same text, and reading it gives them back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from otel_traj.errors import InvalidReferenceError
from otel_traj.evaluate.references.form import form_reference
from otel_traj.evaluate.references.yaml_writer import write_inline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otel_traj.evaluate.references.reference import Reference

__all__ = ["write_references"]

_LISTED: Final = ("steps", "any_of", "model_calls", "rules")
"""Keys of which each item has a line of its own."""
_DEPTH: Final = 4
"""How deep the value of a reference's key stands."""


def write_references(references: Iterable[Reference]) -> str:
    """Return the YAML text of a reference file.

    Args:
        references: In the order of the file; at least one, names distinct.

    Returns:
        What `load_references` reads as these references, ending in a line break.

    Raises:
        InvalidReferenceError: A reference holds what no file can hold (a callable, a pattern of the user's own, half
            a character), which is named.
    """
    lines = ["version: 1", "references:"]
    for reference in references:
        try:
            lines += _write_reference(form_reference(reference))
        except InvalidReferenceError as error:
            raise InvalidReferenceError(f"reference {reference.name!r} can't be written: {error}") from None
    return "\n".join([*lines, ""])


def _write_reference(form: Mapping[str, object]) -> Iterator[str]:
    lead = "  - "
    for key, value in form.items():
        if key in _LISTED and value:
            yield f"{lead}{key}:"
            yield from _write_items(value)
        else:
            yield f"{lead}{key}: {write_inline(value, depth=_DEPTH)}"
        lead = "    "


def _write_items(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from (f"      {key}: {write_inline(each, depth=_DEPTH + 1)}" for key, each in value.items())
    elif isinstance(value, list):
        yield from (f"      - {write_inline(each, depth=_DEPTH + 1)}" for each in value)
