"""The rules of a reference file.

Names and patterns as in a superstep. The numbers of `max_visits` and `min_visits` stand in a map by name; where a
pattern is counted they stand in a list of pairs, since a pattern can't be the key of a map.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from otel_traj.evaluate.references.document import ListNode, MapNode, complain
from otel_traj.evaluate.references.engine_words import ENGINE_ERRORS, say_of_file
from otel_traj.evaluate.references.entries import read_entries, read_entry
from otel_traj.evaluate.references.expect import check_keys, describe, read_count, read_list, read_map
from otel_traj.match import Rules
from otel_traj.match.values_in_words import show_value

if TYPE_CHECKING:
    from otel_traj.evaluate.references.document import Node, Place
    from otel_traj.evaluate.references.entries import EntryKind
    from otel_traj.match.reference.name_patterns import Entry

__all__ = ["RULES", "find_rule", "read_rules"]

_ENTRIES: Final = ("forbidden", "required")
_GROUPS: Final = ("before", "follows", "same_step")
_VISITS: Final = ("max_visits", "min_visits")
RULES: Final = (*_ENTRIES, *_GROUPS, *_VISITS, "max_supersteps")
_NAMED: Final = re.compile(r"rule (\w+)(?:: entry ([0-9]+))?")
"""How the engine begins what it says of a rule."""


def read_rules(node: Node, kind: EntryKind) -> Rules:
    """Return the rules that a node holds.

    Args:
        node: The value of `rules`.
        kind: What may stand beside names and patterns.

    Raises:
        InvalidReferenceError: Something else stands there, or rules that no run could hold.
    """
    written = read_map(node, "rules")
    check_keys(written, allowed=RULES, what="rules")
    values = {rule: _read_rule(rule, value, kind) for rule, value in written.entries.items()}
    try:
        return Rules(**values)  # type: ignore[arg-type] # each of its own type
    except ENGINE_ERRORS as error:
        message = say_of_file(error)
        raise complain(find_rule(written, message) or node.place, message) from error


def find_rule(rules: MapNode, message: str) -> Place | None:
    """Return where the rule stands that the engine speaks of; None where it speaks of none of them.

    Args:
        rules: The value of `rules`.
        message: What the engine says, of a file.
    """
    named = _NAMED.match(message)
    if named is None or named[1] not in rules.entries:
        return None
    rule = rules.entries[named[1]]
    if named[2] is not None and isinstance(rule, ListNode) and int(named[2]) < len(rule.items):
        return rule.items[int(named[2])].place
    return rule.place


def _read_rule(rule: str, node: Node, kind: EntryKind) -> object:
    if rule in _ENTRIES:
        return read_entries(node, f"rule {rule}", kind)
    if rule in _GROUPS:
        return [
            read_entries(group, f"an entry of rule {rule}", kind)
            for group in read_list(node, f"rule {rule}").items
        ]
    if rule in _VISITS:
        return _read_visits(node, f"rule {rule}", kind)
    return read_count(node, f"rule {rule}")


def _read_visits(node: Node, what: str, kind: EntryKind) -> dict[Entry, int]:
    if isinstance(node, MapNode):
        return {
            name: read_count(number, f"{what} of {show_value(name)}") for name, number in node.entries.items()
        }
    if not isinstance(node, ListNode):
        words = f"{what} must be a map of names, or a list of pairs such as [[{{glob: 'poll*'}}, 2]]"
        raise complain(node.place, f"{words}; found {describe(node)}")
    visits: dict[Entry, int] = {}
    for item in node.items:
        pair = read_list(item, f"an entry of {what}").items
        if len(pair) != 2:
            words = f"an entry of {what} is a name or pattern and its number; found a list of {len(pair)}"
            raise complain(item.place, words)
        entry = read_entry(pair[0], kind)
        if entry in visits:
            raise complain(pair[0].place, f"{what} counts the same name twice; keep one number")
        visits[entry] = read_count(pair[1], f"{what}, the number of a pair,")
    return visits
