"""Rules about names that are left out before anything is compared.

Such a rule says nothing: `forbidden` would hold of every run and `required` of none, whatever ran. Only what is
certain is refused: a name that is written out, alone or among the choices of a `OneOf`. A pattern means the names
that are left.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from otel_traj.errors import InvalidReferenceError
from otel_traj.match.names import show_name
from otel_traj.match.reference.name_patterns import OneOf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.match.options import MatchOptions
    from otel_traj.match.reference.name_patterns import Entry
    from otel_traj.match.rules.rules import Rules

__all__ = ["refuse_unseen_names"]


def refuse_unseen_names(rules: Rules, options: MatchOptions, where: str) -> None:
    """Refuse rules that name what the option `ignore` leaves out.

    Args:
        rules: The rules of a reference.
        options: How it is compared.
        where: The place, for the message.

    Raises:
        InvalidReferenceError: The message names the rule and the name.
    """
    for rule, entry in _list_entries(rules):
        for name in _list_names(entry):
            if options.ignores(name):
                raise InvalidReferenceError(
                    f"{where}: rule {rule} names {show_name(name)}, and the option ignore leaves it out, so that nobody"
                    f" would see it run. Take it out of the rule, or pass an ignore without it."
                )


def _list_entries(rules: Rules) -> Iterator[tuple[str, Entry]]:
    yield from (("forbidden", entry) for entry in rules.forbidden)
    yield from (("required", entry) for entry in rules.required)
    yield from (("before", entry) for entry in chain.from_iterable(rules.before))
    yield from (("follows", entry) for entry in chain.from_iterable(rules.follows))
    yield from (("same_step", entry) for entry in chain.from_iterable(rules.same_step))
    yield from (("max_visits", entry) for entry in rules.max_visits)
    yield from (("min_visits", entry) for entry in rules.min_visits)


def _list_names(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, OneOf):
        for choice in entry.choices:
            yield from _list_names(choice)
