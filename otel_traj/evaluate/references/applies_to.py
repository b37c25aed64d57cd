"""Which runs a reference of a file is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.evaluate.references.document import ScalarNode
from otel_traj.evaluate.references.expect import check_keys, read_map, read_name, read_names, read_value
from otel_traj.evaluate.references.reference import AppliesTo
from otel_traj.match.values_in_words import show_value

if TYPE_CHECKING:
    from otel_traj.evaluate.references.document import Node
    from otel_traj.model import AttributeValue

__all__ = ["APPLIES_TO_KEYS", "read_applies_to"]

_TEXTS: Final = ("graph", "case", "thread")
APPLIES_TO_KEYS: Final = (*_TEXTS, "inputs", "tags", "attributes")


def read_applies_to(node: Node | None) -> AppliesTo:
    """Return the conditions that a node holds; none where there is no node.

    Raises:
        InvalidReferenceError: Something else stands there.
    """
    if node is None:
        return AppliesTo()
    written = read_map(node, "applies_to")
    check_keys(written, allowed=APPLIES_TO_KEYS, what="applies_to")
    entries = written.entries
    texts = {key: read_name(entries[key], key) for key in _TEXTS if key in entries}
    return AppliesTo(
        graph=texts.get("graph"),
        case=texts.get("case"),
        thread=texts.get("thread"),
        tags=_read_tags(entries.get("tags")),
        inputs=read_value(entries["inputs"], "applies_to.inputs") if "inputs" in entries else None,
        attributes=_read_attributes(entries.get("attributes")),
    )


def _read_tags(node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    return (read_name(node, "a tag"),) if isinstance(node, ScalarNode) else tuple(read_names(node, "tag"))


def _read_attributes(node: Node | None) -> dict[str, AttributeValue]:
    if node is None:
        return {}
    entries = read_map(node, "applies_to.attributes").entries
    return {key: read_value(value, f"the attribute {show_value(key)}") for key, value in entries.items()}
