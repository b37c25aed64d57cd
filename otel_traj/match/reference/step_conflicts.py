"""Supersteps and rules of one reference that no run can meet together.

Such a reference would fail good runs for ever. Only what is certain is refused: with several trajectories, where
none of them can be met. Rules about names that are left out of the comparison are refused first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.errors import InvalidReferenceError, PatternTimeoutError
from otel_traj.match.reference.visits import Span, count_supersteps, count_visits
from otel_traj.match.rules.rule_entries import show_rule_entry, speaks_of
from otel_traj.match.rules.unseen_names import refuse_unseen_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.match.options import MatchOptions
    from otel_traj.match.reference.items import Item
    from otel_traj.match.reference.name_patterns import Entry
    from otel_traj.match.rules.rules import Rules

__all__ = ["refuse_step_conflicts"]


def refuse_step_conflicts(
    ways: Sequence[Sequence[Item]], rules: Rules | None, options: MatchOptions, where: str
) -> None:
    """Refuse a reference whose rules no run can hold that meets its supersteps.

    Args:
        ways: The trajectories that it allows.
        rules: Its rules.
        options: How it is compared.
        where: The place, for the message.

    Raises:
        InvalidReferenceError: The message names the rule and what the supersteps say against it.
    """
    if rules is None:
        return
    refuse_unseen_names(rules, options, where)
    if not ways:
        return
    try:
        conflicts = [next(_Way(items, options).find_conflicts(rules), None) for items in ways]
    except PatternTimeoutError:
        # Which names the expression means is asked again, and told, where a run is judged.
        return
    if conflicts[0] is not None and None not in conflicts:
        raise InvalidReferenceError(
            f"{where}: {conflicts[0]}: no run meets both. Take one out, or change it."
        )


class _Way:
    """One trajectory of a reference."""

    def __init__(self, items: Sequence[Item], options: MatchOptions) -> None:
        self.items = items
        self.options = options

    def find_conflicts(self, rules: Rules) -> Iterator[str]:
        """Yield what rules and supersteps say against each other."""
        for capped in rules.forbidden:
            yield from self._check_most("forbidden", capped, 0)
        for capped, most in rules.max_visits.items():
            yield from self._check_most("max_visits", capped, most)
        for needed in rules.required:
            yield from self._check_least("required", needed, 1)
        for needed, least in rules.min_visits.items():
            yield from self._check_least("min_visits", needed, least)
        yield from self._check_pairs("before", [(second, first) for first, second in rules.before])
        yield from self._check_pairs("follows", [(first, second) for first, second in rules.follows])
        groups = [(one, other) for group in rules.same_step for one in group for other in group]
        yield from self._check_pairs("same_step", groups)
        length = count_supersteps(self.items, self.options).least
        if rules.max_supersteps is not None and length > rules.max_supersteps:
            yield (
                f"rule max_supersteps allows {rules.max_supersteps}, and the supersteps of the reference are"
                f" {length:.0f} at least"
            )

    def _check_most(self, rule: str, entry: Entry, most: int) -> Iterator[str]:
        least = self._count(entry).least
        if least > most:
            allows = "does not allow" if not most else f"allows {_say_times(most)} at most"
            yield (
                f"rule {rule} {allows} {show_rule_entry(entry)}, and the supersteps have it {_say_times(least)} at least"
            )

    def _check_least(self, rule: str, entry: Entry, least: int) -> Iterator[str]:
        most = self._count(entry).most
        if most < least:
            has = f"have it {_say_times(most)} at most" if most else "leave no place for it"
            yield f"rule {rule} wants {show_rule_entry(entry)} {_say_times(least)} at least, and the supersteps {has}"

    def _check_pairs(self, rule: str, pairs: Sequence[tuple[Entry, Entry]]) -> Iterator[str]:
        """Check pairs of a name that asks and the one it asks for."""
        for asking, asked in pairs:
            if self._count(asking).least and not self._count(asked).most:
                yield (
                    f"rule {rule} wants {show_rule_entry(asked)} wherever {show_rule_entry(asking)} runs, and the"
                    f" supersteps have {show_rule_entry(asking)} and leave no place for {show_rule_entry(asked)}"
                )

    def _count(self, entry: Entry) -> Span:
        return count_visits(self.items, lambda name: speaks_of(entry, name), self.options)


def _say_times(number: float) -> str:
    return "once" if number == 1 else f"{number:.0f} times"
