"""Which rules a run breaks, each with the supersteps in which it does and one sentence that says how.

An entry of a rule is reported once, however often it is broken: the first supersteps and their number tell as
much as a line for each. Supersteps have the numbers that explanations use; a marker has that of the superstep before
it. Only order counts, never time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from otel_traj.match.names import join_names, list_names
from otel_traj.match.reference.name_patterns import show_entry
from otel_traj.match.rules.rule_entries import show_rule_entry, speaks_of
from otel_traj.match.supersteps import is_interrupt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from otel_traj.match.reference.name_patterns import Entry
    from otel_traj.match.rules.rules import Rules
    from otel_traj.match.supersteps import ActualStep

__all__ = ["BrokenRule", "RuleName", "check_rules"]

RuleName: TypeAlias = Literal[
    "forbidden", "required", "before", "follows", "same_step", "max_visits", "min_visits", "max_supersteps"
]

_Found: TypeAlias = dict[int, tuple[str, ...]]
"""By index among the supersteps, ascending: the names in it that an entry speaks of, once per task; never empty."""

_MAX_SENTENCES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenRule:
    """One entry of a rule that does not hold."""

    rule: RuleName
    nodes: tuple[str, ...]
    """The names that it is about, patterns in words; empty for `max_supersteps`."""
    supersteps: tuple[int, ...]
    """Numbers of the supersteps that break it, ascending; empty where the whole run does (`required`, `min_visits`)."""
    places: tuple[tuple[int, tuple[str, ...]], ...]
    """For each of them its position in the trajectory as it was given, and the names whose tasks are at fault."""
    text: str
    """On one line: `rule forbidden: node2 ran in superstep 2`."""
    may_recover: bool
    """Whether a run that waits may still come to hold it when it goes on."""


def check_rules(rules: Rules, actual: Sequence[ActualStep]) -> list[BrokenRule]:
    """Return the rules that a run breaks.

    Args:
        rules: What must hold.
        actual: The supersteps of the run in order, markers included, without ignored names; a name once per task.

    Returns:
        One record for each entry of a rule that is broken: in the order of the fields of `Rules`, then as written.

    Raises:
        PatternTimeoutError: A regular expression of a rule did not come to an end on a name.
    """
    return [broken for broken in _Checker(actual).check(rules) if broken is not None]


class _Checker:
    """Holds one run against rules."""

    def __init__(self, actual: Sequence[ActualStep]) -> None:
        self.actual = actual
        self.is_marker = [is_interrupt(step.names) for step in actual]
        self.rounds = [at for at, is_marker in enumerate(self.is_marker) if not is_marker]

    def check(self, rules: Rules) -> Iterator[BrokenRule | None]:
        yield from map(self._check_forbidden, rules.forbidden)
        yield from map(self._check_required, rules.required)
        yield from (self._check_before(first, second) for first, second in rules.before)
        yield from (self._check_follows(first, second) for first, second in rules.follows)
        yield from map(self._check_same_step, rules.same_step)
        yield from (self._check_most(entry, most) for entry, most in rules.max_visits.items())
        yield from (self._check_least(entry, least) for entry, least in rules.min_visits.items())
        if rules.max_supersteps is not None:
            yield self._check_length(rules.max_supersteps)

    def _check_forbidden(self, entry: Entry) -> BrokenRule | None:
        found = self._find(entry)
        if not found:
            return None
        return self._break("forbidden", [entry], found, f"{_say(entry, found)} ran in {self._number(found)}")

    def _check_required(self, entry: Entry) -> BrokenRule | None:
        if self._find(entry):
            return None
        return self._break("required", [entry], {}, f"{show_rule_entry(entry)} never ran", may_recover=True)

    def _check_before(self, first: Entry, second: Entry) -> BrokenRule | None:
        start = next(iter(self._find(first)), None)
        early = {at: names for at, names in self._find(second).items() if start is None or at <= start}
        if not early:
            return None
        text = (
            f"{_say(second, early)} ran in {self._number(early)}, and {show_rule_entry(first)} in none before"
            f" {'it' if len(self._numbers(early)) == 1 else 'them'}"
        )
        if start is not None:
            text += f", first in {self._number([start])}"
        return self._break("before", [first, second], early, text)

    def _check_follows(self, first: Entry, second: Entry) -> BrokenRule | None:
        is_followed = self._look_ahead(self._find(second))
        alone = {at: names for at, names in self._find(first).items() if not is_followed[at]}
        if not alone:
            return None
        subject, place, wanted = _say(first, alone), self._number(alone), show_rule_entry(second)
        is_last = all(at >= self.rounds[-1] for at in alone) if self.rounds else True
        text = f"{subject} ran in {place} without {wanted} in the next superstep"
        if is_last:
            text = f"{subject} ran in {place}, the last one, and {wanted} not after it"
        return self._break("follows", [first, second], alone, text, may_recover=is_last)

    def _look_ahead(self, found: _Found) -> list[bool]:
        """Return for each superstep whether something was found right after it, markers skipped or meant."""
        is_followed = [False] * len(self.actual)
        for at in range(len(self.actual) - 2, -1, -1):
            is_followed[at] = at + 1 in found or (self.is_marker[at + 1] and is_followed[at + 1])
        return is_followed

    def _check_same_step(self, group: Sequence[Entry]) -> BrokenRule | None:
        found = [self._find(entry) for entry in group]
        torn: _Found = {}
        sentences: dict[tuple[tuple[str, ...], tuple[str, ...]], list[int]] = {}
        for at in sorted(set().union(*found)):
            missing = tuple(
                show_entry(entry) for entry, places in zip(group, found, strict=True) if at not in places
            )
            if missing:
                there = {name for places in found for name in places.get(at, ())}
                torn[at] = tuple(name for name in self.actual[at].names if name in there)
                sentences.setdefault((tuple(dict.fromkeys(torn[at])), missing), []).append(at)
        if not torn:
            return None
        parts = [
            f"{join_names(there)} ran in {self._number(places)} without {join_names(missing)}"
            for (there, missing), places in list(sentences.items())[:_MAX_SENTENCES]
        ]
        hidden = sum(map(len, list(sentences.values())[_MAX_SENTENCES:]))
        parts += [f"{hidden} more"] * bool(hidden)
        return self._break("same_step", group, torn, "; ".join(parts))

    def _check_most(self, entry: Entry, most: int) -> BrokenRule | None:
        found = self._find(entry)
        number = _count(found)
        if number <= most:
            return None
        text = f"{_say(entry, found)} ran {_say_times(number)}, at most {most} allowed ({self._list(found)})"
        return self._break("max_visits", [entry], found, text)

    def _check_least(self, entry: Entry, least: int) -> BrokenRule | None:
        found = self._find(entry)
        number = _count(found)
        if number >= least:
            return None
        text = f"{_say(entry, found)} ran {_say_times(number)}, at least {least} expected"
        text += f" ({self._list(found)})" if found else ""
        return self._break("min_visits", [entry], {}, text, may_recover=True)

    def _check_length(self, most: int) -> BrokenRule | None:
        beyond = {at: self.actual[at].names for at in self.rounds[most:]}
        if not beyond:
            return None
        text = f"{len(self.rounds)} superstep{'s' * (len(self.rounds) != 1)} ran, at most {most} allowed"
        return self._break("max_supersteps", [], beyond, text)

    def _find(self, entry: Entry) -> _Found:
        """Return where an entry ran."""
        is_meant = _remember(entry)
        found = {at: tuple(filter(is_meant, step.names)) for at, step in enumerate(self.actual)}
        return {at: names for at, names in found.items() if names}

    def _break(
        self,
        rule: RuleName,
        entries: Sequence[Entry],
        at_fault: _Found,
        text: str,
        *,
        may_recover: bool = False,
    ) -> BrokenRule:
        return BrokenRule(
            rule=rule,
            nodes=tuple(map(show_entry, entries)),
            supersteps=tuple(dict.fromkeys(self.actual[at].number for at in at_fault)),
            places=tuple((self.actual[at].position, names) for at, names in at_fault.items()),
            text=f"rule {rule}: {text}",
            may_recover=may_recover,
        )

    def _number(self, places: Sequence[int] | _Found) -> str:
        """Return `superstep 2`, or `supersteps 2, 4 and 6`."""
        numbers = self._numbers(places)
        return f"superstep{'s' * (len(numbers) != 1)} {join_names(numbers)}"

    def _list(self, places: _Found) -> str:
        """Return `superstep 2`, or `supersteps 2, 4, 6`."""
        numbers = self._numbers(places)
        return f"superstep{'s' * (len(numbers) != 1)} {list_names(numbers)}"

    def _numbers(self, places: Sequence[int] | _Found) -> list[str]:
        return list(dict.fromkeys(str(self.actual[at].number) for at in places))


def _remember(entry: Entry) -> Callable[[str], bool]:
    """Return whether an entry speaks of a name, as a function that asks a pattern once per name."""
    known: dict[str, bool] = {}

    def is_meant(name: str) -> bool:
        if name not in known:
            known[name] = speaks_of(entry, name)
        return known[name]

    return is_meant


def _count(found: _Found) -> int:
    return sum(map(len, found.values()))


def _say(entry: Entry, found: _Found) -> str:
    """Return a name; of a pattern the names that ran, and itself: `node2 and node3 (glob(node*))`."""
    names = list(dict.fromkeys(name for places in found.values() for name in places))
    if isinstance(entry, str) or not names:
        return show_rule_entry(entry)
    return f"{join_names(names)} ({show_rule_entry(entry)})"


def _say_times(number: int) -> str:
    return "1 time" if number == 1 else f"{number} times"
