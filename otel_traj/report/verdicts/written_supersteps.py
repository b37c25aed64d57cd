"""The supersteps of a reference and of a run as short texts, each with the numbers that explanations use.

A reference's supersteps come as a reference file writes them: lists of names, and maps for patterns, loops, gaps and
alternatives. A name that begins with `+` or `-` is quoted, because these mark what is too many and what is missing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from otel_traj import semconv as sc
from otel_traj.match.names import fold_names
from otel_traj.match.supersteps import number_supersteps
from otel_traj.report.escape import shorten, show_word

__all__ = ["WrittenSuperstep", "list_actual", "list_expected", "mark_names"]

_MARKERS = frozenset((sc.START_NODE, sc.END_NODE, sc.INTERRUPT_NODE))


class WrittenSuperstep(Struct, frozen=True, kw_only=True):
    """One entry of a reference, or one superstep of a run."""

    numbers: tuple[int, ...]
    """Of an entry that stands for several supersteps: of each; empty for a gap."""
    names: tuple[str, ...] | None
    """None where patterns or bounds leave open what runs here."""
    text: str
    """Escaped, names shortened."""
    is_flexible: bool = False
    """Whether it may stand for none or several."""

    @property
    def is_marker(self) -> bool:
        """Whether no node ran: the beginning, the end, an interrupt."""
        return bool(self.names) and _MARKERS.issuperset(self.names or ())

    @property
    def is_start(self) -> bool:
        """Whether it is the beginning of a run."""
        return self.names == (sc.START_NODE,)


def list_actual(steps: Sequence[Sequence[str]]) -> list[WrittenSuperstep]:
    """Return the supersteps of a run.

    Args:
        steps: Outer list = supersteps, in order, nothing left out.
    """
    return [
        WrittenSuperstep(numbers=(number,), names=tuple(names), text=mark_names(names))
        for names, number in zip(steps, number_supersteps(steps), strict=True)
    ]


def list_expected(steps: Sequence[object]) -> list[WrittenSuperstep]:
    """Return the entries of a reference.

    Args:
        steps: As the metadata of a verdict writes them.
    """
    counter = _Counter()
    return [_read_entry(step, counter) for step in steps]


def mark_names(names: Sequence[str], marked: Sequence[str] = (), mark: str = "") -> str:
    """Return names as `a, b`, four and more alike in a row as `w x4`.

    Args:
        names: In their order.
        marked: Those that are at fault, once per task.
        mark: What stands before each of them, where there are others beside them.
    """
    if not names:
        return "(empty)"
    left = Counter(marked)
    texts: list[tuple[str, bool]] = []
    for name in names:
        is_marked = left[name] > 0
        left[name] -= is_marked
        texts.append((name, is_marked))
    faulty = [name for name, is_marked in texts if is_marked]
    sound = [name for name, is_marked in texts if not is_marked]
    if not faulty or not sound:
        return ", ".join(_fold(names, ""))
    return ", ".join([*_fold(sound, ""), *_fold(faulty, mark)])


def _fold(names: Sequence[str], mark: str) -> list[str]:
    shown = ((mark + _show(name), number) for name, number in fold_names(names))
    return [text if number == 1 else f"{text} x{number}" for text, number in shown]


def _show(name: str) -> str:
    shown = shorten(name)
    return f'"{shown}"' if shown.startswith(("+", "-")) else shown


class _Counter:
    """Counts supersteps of a reference as its reader does: the beginning is 0, an interrupt has no own number."""

    def __init__(self) -> None:
        self.number = 0
        self.is_first = True

    def take(self, entries: object) -> int:
        is_start = self.is_first and entries == [sc.START_NODE]
        is_interrupt = (
            isinstance(entries, list) and bool(entries) and set(map(str, entries)) == {sc.INTERRUPT_NODE}
        )
        self.number += not is_start and not is_interrupt
        self.is_first = False
        return self.number


def _read_entry(step: object, counter: _Counter) -> WrittenSuperstep:
    if not isinstance(step, Mapping):
        return _read_names(step, counter)
    if "gap" in step:
        return WrittenSuperstep(numbers=(), names=None, text="any supersteps", is_flexible=True)
    if "repeat" in step:
        inner = [_read_entry(each, counter) for each in step["repeat"]]
        text = f"({_join(inner)}){_say_bounds(step)}"
        numbers = tuple(number for each in inner for number in each.numbers)
        return WrittenSuperstep(numbers=numbers, names=None, text=text, is_flexible=True)
    if "one_of" in step:
        return _read_choices(step["one_of"], counter)
    number = counter.take(step.get("nodes"))
    names = _list_texts(step.get("nodes", ()))
    mode = f" ({step['mode']})" if step.get("mode") else ""
    text = f"{', '.join(names)}{mode}{_say_bounds(step)}"
    return WrittenSuperstep(numbers=(number,), names=None, text=text, is_flexible=True)


def _read_names(step: object, counter: _Counter) -> WrittenSuperstep:
    entries = list(step) if isinstance(step, Sequence) and not isinstance(step, str) else [step]
    number = counter.take(entries)
    names = [entry for entry in entries if isinstance(entry, str)]
    if len(names) == len(entries):
        return WrittenSuperstep(numbers=(number,), names=tuple(names), text=mark_names(names))
    return WrittenSuperstep(numbers=(number,), names=None, text=", ".join(_list_texts(entries)))


def _read_choices(choices: Sequence[object], counter: _Counter) -> WrittenSuperstep:
    """One of several rows of supersteps stands here; each begins with the same number."""
    before, furthest = counter.number, counter.number
    texts: list[str] = []
    numbers: list[int] = []
    for choice in choices:
        counter.number = before
        is_row = isinstance(choice, list) and any(isinstance(each, list | Mapping) for each in choice)
        row = choice if is_row and isinstance(choice, list) else [choice]
        entries = [_read_entry(each, counter) for each in row]
        texts.append(_join(entries))
        numbers += [number for each in entries for number in each.numbers]
        furthest = max(furthest, counter.number)
    counter.number = furthest
    distinct = tuple(dict.fromkeys(numbers))
    return WrittenSuperstep(numbers=distinct, names=None, text=f"({' | '.join(texts)})", is_flexible=True)


def _join(entries: Sequence[WrittenSuperstep]) -> str:
    return " then ".join(entry.text for entry in entries)


def _say_bounds(step: Mapping[str, Any]) -> str:
    least, most = step.get("min", 1), step.get("max", 1)
    if most is None:
        return f" {least} times or more"
    return f" {least} times" if least == most else f" {least} to {most} times"


def _list_texts(entries: Sequence[object]) -> list[str]:
    return [_show(entry) if isinstance(entry, str) else _show_pattern(entry) for entry in entries]


def _show_pattern(entry: object) -> str:
    """Return a pattern of a name, or a tool with its arguments."""
    if not isinstance(entry, Mapping):
        return shorten(json.dumps(entry, default=str))
    if entry.get("any"):
        return "any(...)"
    if "tool" in entry:
        tool = entry["tool"]
        name = shorten(tool) if isinstance(tool, str) else _show_pattern(tool)
        arguments = "" if entry.get("args") is None else shorten(json.dumps(entry["args"], default=str))
        return f"{name}({arguments})"
    if isinstance(entry.get("one_of"), Sequence):
        return f"one of {' | '.join(_list_texts(entry['one_of']))}"
    kind, pattern = next(iter(entry.items()), ("?", ""))
    return f"{show_word(str(kind))}({shorten(str(pattern))})"
