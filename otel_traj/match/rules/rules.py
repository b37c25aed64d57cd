"""Rules: what must hold of a run whatever its trajectory is, and how they are written.

They stand beside a trajectory or in its place, for the many agents of which nobody can write down the way, only
what must never happen on it. Their shape is checked where they are written: a rule that a slip of the pen made
empty would pass every run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from otel_traj.errors import InvalidReferenceError, PatternTimeoutError, TrajectoryTypeError
from otel_traj.match.reference.name_patterns import Entry, read_entry
from otel_traj.match.reference.tool_patterns import Tool
from otel_traj.match.rules.rule_conflicts import refuse_conflicts
from otel_traj.match.rules.rule_entries import show_rule_entry
from otel_traj.match.values_in_words import describe_value, show_value

__all__ = ["Rules", "read_rules"]

_ENTRIES: Final = ("forbidden", "required")
_PAIRS: Final = ("before", "follows")
_VISITS: Final = ("max_visits", "min_visits")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What must hold of every run, with or without a trajectory to compare it with.

    Every name is a node's, or a pattern (`Glob`, `Regex`, `Any`, `OneOf`). Ignored names are not seen, and patterns
    don't mean interrupt markers: `__interrupt__` is written out. A superstep that is a marker is no next superstep for
    `follows`, and doesn't count in `max_supersteps`.

    Raises:
        TrajectoryTypeError: A rule of a wrong shape; the message shows the right one.
        InvalidReferenceError: No rule at all, an empty name, a number or pair that nothing can meet, or rules that
            contradict each other.
        PatternTimeoutError: A regular expression did not come to an end on a name of another rule.
    """

    forbidden: Sequence[Entry] = ()
    """Names that never run."""
    required: Sequence[Entry] = ()
    """Names that run at least once."""
    before: Sequence[Sequence[Entry]] = ()
    """Pairs (a, b): each superstep with b has an earlier one with a; the same superstep is not earlier."""
    follows: Sequence[Sequence[Entry]] = ()
    """Pairs (a, b): the superstep right after each one with a holds b."""
    same_step: Sequence[Sequence[Entry]] = ()
    """Groups of two and more: a superstep with one of them has all of them."""
    max_visits: Mapping[Entry, int] = field(default_factory=dict)
    """How many tasks of a name there are at most; those of all names that a pattern means are added up."""
    min_visits: Mapping[Entry, int] = field(default_factory=dict)
    """At least, counted alike."""
    max_supersteps: int | None = None
    """How many supersteps there are at most; None: any number."""

    def __post_init__(self) -> None:
        for rule in _ENTRIES:
            object.__setattr__(self, rule, _read_entries(getattr(self, rule), rule, f"rule {rule}"))
        for rule in (*_PAIRS, "same_step"):
            object.__setattr__(self, rule, _read_groups(getattr(self, rule), rule))
        for rule in _VISITS:
            object.__setattr__(self, rule, _read_visits(getattr(self, rule), rule))
        if self.max_supersteps is not None:
            _check_number(self.max_supersteps, "rule max_supersteps")
        if not self._can_break():
            raise InvalidReferenceError(
                f"the rules hold no rule: every run would pass. Write at least one of {', '.join(_list_rules())}."
            )
        refuse_conflicts(self)

    def __hash__(self) -> int:
        visits = (frozenset(getattr(self, rule).items()) for rule in _VISITS)
        groups = (getattr(self, rule) for rule in (*_ENTRIES, *_PAIRS, "same_step"))
        return hash((*groups, *visits, self.max_supersteps))

    def _can_break(self) -> bool:
        """Whether there is any run that these rules refuse."""
        said = (self.forbidden, self.required, self.before, self.follows, self.same_step, self.max_visits)
        return any(said) or any(self.min_visits.values()) or self.max_supersteps is not None


def read_rules(value: object, where: str) -> Rules:
    """Return rules, checked.

    Args:
        value: `Rules`, or a mapping with their fields, as it stands in a reference.
        where: The place, for the message.

    Raises:
        TrajectoryTypeError: It is neither, or a rule has a wrong shape.
        InvalidReferenceError: An unknown rule, none at all, or one that can't hold.
        PatternTimeoutError: A regular expression did not come to an end on a name of another rule.
    """
    if isinstance(value, Rules):
        return value
    if not isinstance(value, Mapping):
        raise TrajectoryTypeError(
            f"{where} is {describe_value(value)}: rules are told apart by their names. Write Rules(...), or a mapping"
            f" with some of {', '.join(_list_rules())}."
        )
    unknown = [key for key in value if key not in _list_rules()]
    if unknown:
        raise InvalidReferenceError(
            f"{where} has {', '.join(map(show_value, unknown))}: no rule has that name, so nothing would be checked by"
            f" it. Allowed: {', '.join(_list_rules())}."
        )
    try:
        return Rules(**value)
    except (TrajectoryTypeError, InvalidReferenceError, PatternTimeoutError) as error:
        raise type(error)(f"{where}: {error}") from None


def _list_rules() -> list[str]:
    return [rule.name for rule in fields(Rules)]


def _read_entries(value: object, rule: str, where: str) -> tuple[Entry, ...]:
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise TrajectoryTypeError(
            f"{where} is {describe_value(value)}: it lists names, also of one node. Write a list, {_show_form(rule)}."
        )
    entries = tuple(_read_entry(entry, f"{where}: entry {at}") for at, entry in enumerate(value))
    if rule == "required" and len(set(entries)) < len(entries):
        twice = next(entry for entry in entries if entries.count(entry) > 1)
        raise InvalidReferenceError(
            f"{where} names {show_rule_entry(twice)} twice: once is enough for it. Write it once, or min_visits for a"
            f" number."
        )
    # Said twice it would be broken twice.
    return tuple(dict.fromkeys(entries)) if rule in _ENTRIES else entries


def _read_entry(value: object, where: str) -> Entry:
    entry = read_entry(value, where)
    if isinstance(entry, Tool) and (entry.args is not None or entry.args_mode is not None):
        raise InvalidReferenceError(
            f"{where} is {show_rule_entry(entry)} with arguments: a rule compares names alone, so they would be left"
            f" out. Leave them out of the rule, and write the call in a superstep or a model call."
        )
    return entry


def _read_groups(value: object, rule: str) -> tuple[tuple[Entry, ...], ...]:
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise TrajectoryTypeError(
            f"rule {rule} is {describe_value(value)}: it lists {_say_group(rule)}s. Write {_show_form(rule)}."
        )
    return tuple(
        dict.fromkeys(_read_group(group, rule, f"rule {rule}: entry {at}") for at, group in enumerate(value))
    )


def _read_group(value: object, rule: str, where: str) -> tuple[Entry, ...]:
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise TrajectoryTypeError(
            f"{where} is {describe_value(value)}: each entry is a {_say_group(rule)} of names. Write"
            f" {_show_form(rule)}."
        )
    group = _read_entries(value, rule, where)
    if len(group) < 2 or (rule in _PAIRS and len(group) > 2):
        needed = "exactly two names" if rule in _PAIRS else "at least two names"
        raise InvalidReferenceError(
            f"{where} holds {len(group)} name{'' if len(group) == 1 else 's'}: the rule is about {needed}. Write"
            f" {_show_form(rule)}."
        )
    if len(set(group)) < len(group):
        twice = next(entry for entry in group if group.count(entry) > 1)
        raise InvalidReferenceError(
            f"{where} names {show_rule_entry(twice)} twice: the rule is about different nodes. Write"
            f" {_show_form(rule)}."
        )
    return group


def _read_visits(value: object, rule: str) -> dict[Entry, int]:
    if not isinstance(value, Mapping):
        raise TrajectoryTypeError(
            f"rule {rule} is {describe_value(value)}: each name has its number. Write a mapping, {_show_form(rule)}."
        )
    visits: dict[Entry, int] = {}
    for key, number in value.items():
        entry = _read_entry(key, f"rule {rule}: a name")
        visits[entry] = _check_number(number, f"rule {rule} of {show_rule_entry(entry)}")
    return visits


def _check_number(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TrajectoryTypeError(f"{where} is {describe_value(value)}: it counts. Write a whole number.")
    if value < 0:
        raise InvalidReferenceError(f"{where} is {value}: nothing runs less than never. Write 0 or more.")
    return value


def _say_group(rule: str) -> str:
    return "pair" if rule in _PAIRS else "group"


def _show_form(rule: str) -> str:
    if rule in _VISITS:
        return "such as {'node3': 2}"
    return "such as ['node1']" if rule in _ENTRIES else "such as [['node1', 'node2']]"
