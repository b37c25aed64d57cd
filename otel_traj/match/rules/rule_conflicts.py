"""Rules that no run can hold together, or that only a run can hold in which what they name never runs.

A reference like that would fail good runs for ever, or forbid a node in a roundabout way that nobody meant. Only
what is certain is refused: of patterns, that one speaks of all names of another is known for names, `OneOf` and
`Any()`; that two expressions exclude each other is not.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NoReturn

from otel_traj.errors import InvalidReferenceError
from otel_traj.match.rules.rule_entries import is_within, means_marker, show_rule_entry
from otel_traj.match.supersteps import INTERRUPT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.reference.name_patterns import Entry
    from otel_traj.match.rules.rules import Rules

__all__ = ["refuse_conflicts"]


def refuse_conflicts(rules: Rules) -> None:
    """Refuse rules that can't hold.

    Args:
        rules: With every field of the right shape.

    Raises:
        InvalidReferenceError: The message names the rules, and says what to write in their place.
        PatternTimeoutError: A regular expression did not come to an end on a name of another rule.
    """
    _refuse_counts(rules)
    # A pair of `before` looks back from its second name, one of `follows` looks ahead from its first.
    before = [(second, first) for first, second in rules.before]
    follows = [(first, second) for first, second in rules.follows]
    _refuse_chains(before, "before", "an earlier superstep")
    _refuse_chains(follows, "follows", "another superstep after it")
    for group in rules.same_step:
        _refuse_marker(group)
        _refuse_apart(group, before, "before")
        _refuse_apart(group, follows, "follows")


def _refuse_counts(rules: Rules) -> None:
    needs = [(entry, 1, "required") for entry in rules.required]
    needs += [(entry, least, "min_visits") for entry, least in rules.min_visits.items() if least]
    caps = [(entry, 0, "forbidden") for entry in rules.forbidden]
    caps += [(entry, most, "max_visits") for entry, most in rules.max_visits.items()]
    for needed, least, need in needs:
        for capped, most, cap in caps:
            if least > most and is_within(needed, capped):
                _refuse(
                    f"rule {need} wants {show_rule_entry(needed)} at least {_say_times(least)}, and rule {cap} allows"
                    f" {show_rule_entry(capped)} at most {_say_times(most)}: no run holds both. Take one out, or"
                    f" change its number."
                )
        if rules.max_supersteps == 0 and not means_marker(needed):
            _refuse(
                f"rule {need} wants {show_rule_entry(needed)}, and rule max_supersteps allows no superstep: no run holds"
                f" both. Raise max_supersteps, or take one out."
            )


def _refuse_chains(pairs: Sequence[tuple[Entry, Entry]], rule: str, what: str) -> None:
    """Refuse pairs of which each use asks for the next one without end.

    Args:
        pairs: (the name that asks, the name it asks for).
        rule: Its name.
        what: What each use asks for.
    """
    for asking, asked in pairs:
        if is_within(asked, asking):
            _refuse(
                f"rule {rule} of {_say_both(asking, asked)}: {show_rule_entry(asked)} would itself need {what}, and that"
                f" one too, so it holds only where {show_rule_entry(asking)} never runs. Name two different nodes, or"
                f" write forbidden."
            )
    for (asking, asked), (other, wanted) in combinations(pairs, 2):
        if is_within(asked, other) and is_within(wanted, asking):
            _refuse(
                f"rule {rule} has {_say_both(asking, asked)} both ways round: each would need {what} with the other, so"
                f" neither could ever run. Keep one of the two pairs."
            )


def _refuse_apart(group: Sequence[Entry], pairs: Sequence[tuple[Entry, Entry]], rule: str) -> None:
    for asking, asked in pairs:
        if any(is_within(asked, entry) for entry in group) and any(
            is_within(entry, asking) for entry in group
        ):
            _refuse(
                f"rule same_step wants {_say_both(asking, asked)} in one superstep, and rule {rule} in two: both hold"
                f" only where neither runs. Keep one of the two rules."
            )


def _refuse_marker(group: Sequence[Entry]) -> None:
    if any(is_within(entry, INTERRUPT) for entry in group):
        _refuse(
            "rule same_step names __interrupt__: the marker is a superstep of its own, so nothing runs in the same one."
            " Write follows, such as [['ask', '__interrupt__']]."
        )


def _say_both(first: Entry, second: Entry) -> str:
    return f"{show_rule_entry(first)} and {show_rule_entry(second)}"


def _say_times(number: int) -> str:
    return "1 time" if number == 1 else f"{number} times"


def _refuse(message: str) -> NoReturn:
    raise InvalidReferenceError(message)
