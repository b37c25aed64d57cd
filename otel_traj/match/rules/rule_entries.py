"""Which names an entry of a rule speaks of.

As in a superstep of a reference, with one difference: an interrupt marker is no node, so a pattern never means it.
Only `__interrupt__` itself, written out, does. So `max_visits` of `Any()` counts tasks alone, and
`before: [[__interrupt__, delete]]` says that somebody was asked before anything was deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.match.names import show_name
from otel_traj.match.reference.name_patterns import Any, Entry, OneOf, accepts, show_entry
from otel_traj.match.supersteps import INTERRUPT

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["is_within", "means_marker", "show_rule_entry", "speaks_of"]


def speaks_of(entry: Entry, name: str) -> bool:
    """Return whether an entry of a rule speaks of a name that ran.

    Raises:
        PatternTimeoutError: A regular expression did not come to an end.
    """
    return means_marker(entry) if name == INTERRUPT else accepts(entry, name)


def means_marker(entry: Entry) -> bool:
    """Return whether `__interrupt__` is written out in an entry."""
    return entry == INTERRUPT or (isinstance(entry, OneOf) and any(map(means_marker, _list_choices(entry))))


def is_within(inner: Entry, outer: Entry) -> bool:
    """Return whether `outer` certainly speaks of every name that `inner` speaks of; False where nobody can tell.

    Raises:
        PatternTimeoutError: A regular expression did not come to an end.
    """
    if isinstance(inner, str):
        return speaks_of(outer, inner)
    if isinstance(inner, OneOf):
        return all(is_within(choice, outer) for choice in _list_choices(inner))
    if isinstance(outer, OneOf):
        return any(is_within(inner, choice) for choice in _list_choices(outer))
    return isinstance(outer, Any) or inner == outer


def show_rule_entry(entry: Entry) -> str:
    """Return an entry for a line of text."""
    return show_name(show_entry(entry))


def _list_choices(one_of: OneOf) -> Iterator[Entry]:
    return (choice for choice in one_of.choices if isinstance(choice, Entry))
