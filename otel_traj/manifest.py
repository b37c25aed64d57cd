"""The manifest: what the recorder saw, in a form the reader can check.

Recorder and reader are strangers (they never import each other); the only things they must agree on are the
order of names inside a superstep, the JSON text of a trajectory and its digest. These three stand here.

Order inside a superstep: fan-out tasks (LangGraph's `Send`) by their index, then the rest by name; never by
time, because parallel tasks start and end in any order (seen with langgraph 1.2.22).
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MAX_STEPS_BYTES", "digest_steps", "encode_steps", "sibling_sort_key"]

MAX_STEPS_BYTES = 1_500
"""Bytes of the encoded trajectory above which only its digest is written (backends cut values at 2,048)."""


def sibling_sort_key(node: str, push_index: int | None) -> tuple[int, int, str]:
    """Return the key that sorts the tasks of one superstep into canonical order.

    Args:
        node: The node's name.
        push_index: Index of a fan-out task (`push:<index>`), None for a task that an edge triggered.

    Returns:
        A key: fan-out tasks first, by index; then the rest, by name.
    """
    return (1, 0, node) if push_index is None else (0, push_index, node)


def encode_steps(steps: Sequence[Sequence[str]]) -> str:
    """Return the one JSON text of a trajectory.

    Args:
        steps: Outer list = supersteps, ascending; inner = node names in canonical order.

    Returns:
        JSON with the separators `,` and `:` and without ASCII escapes, as `json.dumps` writes it.
    """
    return json.dumps([list(names) for names in steps], separators=(",", ":"), ensure_ascii=False)


def digest_steps(encoded: str) -> str:
    """Return the SHA-256 (64 lower-case hex digits) of the UTF-8 bytes of an encoded trajectory.

    A lone surrogate in a node's name has no strict UTF-8 form; it is passed through, on both sides alike.
    """
    return hashlib.sha256(encoded.encode("utf-8", "surrogatepass")).hexdigest()
