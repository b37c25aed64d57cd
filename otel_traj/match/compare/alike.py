"""Equal entries of one superstep of a reference and equal names of one that ran, as kinds with a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.match.reference.name_patterns import accepts

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from otel_traj.match.reference.name_patterns import Entry

__all__ = ["EntryKinds", "NameKinds", "key_of", "pair_kinds"]


def key_of(entry: Entry) -> Hashable:
    """Return what equal entries have in common; a pattern of a user's own may have no hash."""
    try:
        hash(entry)
    except TypeError:
        return id(entry)
    return (isinstance(entry, str), entry)


class EntryKinds:
    """The entries of one superstep of a reference."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        known: dict[Hashable, int] = {}
        self.entries: list[Entry] = []
        """One of each kind, in their order."""
        self.counts: list[int] = []
        """How many there are of each."""
        for entry in entries:
            kind = known.setdefault(key_of(entry), len(known))
            if kind == len(self.entries):
                self.entries.append(entry)
                self.counts.append(0)
            self.counts[kind] += 1
        self.literals = {entry: kind for kind, entry in enumerate(self.entries) if isinstance(entry, str)}
        self.patterns = [kind for kind, entry in enumerate(self.entries) if not isinstance(entry, str)]


class NameKinds:
    """The names of one superstep that ran. Calls of one tool differ in their arguments, so each is its own kind."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names: list[str] = []
        """One of each kind, in their order."""
        self.counts: list[int] = []
        """How many there are of each."""
        self.by_text: dict[str, list[int]] = {}
        """The kinds that a literal accepts."""
        plain: dict[str, int] = {}
        for name in names:
            is_plain = type(name) is str
            kind = plain.get(name) if is_plain else None
            if kind is None:
                kind = len(self.names)
                self.names.append(name)
                self.counts.append(0)
                self.by_text.setdefault(name, []).append(kind)
                if is_plain:
                    plain[name] = kind
            self.counts[kind] += 1


def pair_kinds(entries: EntryKinds, names: NameKinds) -> Iterator[tuple[int, int]]:
    """Yield the kinds of entries with the kinds of names that they accept; literals in time of the smaller side."""
    if len(entries.literals) <= len(names.by_text):
        shared = [text for text in entries.literals if text in names.by_text]
    else:
        shared = [text for text in names.by_text if text in entries.literals]
    for text in shared:
        for kind in names.by_text[text]:
            yield entries.literals[text], kind
    for at in entries.patterns:
        for kind, name in enumerate(names.names):
            if accepts(entries.entries[at], name):
                yield at, kind
