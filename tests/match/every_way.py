"""References with an order, judged from the specification alone: every way through one, laid beside a run every way.

It takes references as a user writes them and shares no code with the engine. A way is one row of supersteps that the
reference stands for; a gap stays in it as `GAP`, which takes any supersteps. Loops without a bound are unrolled until
a further round can't matter. Only for small inputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Final, TypeAlias

from otel_traj.match import Gap, OneOf, ReferenceStep, Repeat
from tests.match.brute_force import longest_common
from tests.match.every_assignment import assignments, fits, superstep_passes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.match.reference.name_patterns import Entry

__all__ = ["GAP", "Expected", "Way", "cheapest", "list_ways", "passes", "worst_of"]


@dataclass(frozen=True)
class Expected:
    """One superstep of a way."""

    entries: tuple[Entry, ...]
    mode: str


GAP: Final = "gap"

Way: TypeAlias = tuple[Expected | str, ...]


def list_ways(reference: Sequence[object], step_mode: str, most: int) -> set[Way]:
    """Return every way of at most so many supersteps; gaps in a row are one."""
    ways: set[Way] = {()}
    for item in reference:
        ways = _join(ways, _ways_of(item, step_mode, most), most)
    return ways


def passes(ways: set[Way], actual: Sequence[Sequence[str]], trajectory_mode: str) -> bool:
    """Return whether a run meets one of the ways."""
    return any(_meets(way, actual) for way in _opened(ways, trajectory_mode))


def cheapest(ways: set[Way], actual: Sequence[Sequence[str]], trajectory_mode: str = "strict") -> int:
    """Return what the cheapest alignment with any of the ways costs."""
    return min(_cost(way, tuple(map(tuple, actual))) for way in _opened(ways, trajectory_mode))


def worst_of(ways: set[Way], actual: Sequence[Sequence[str]]) -> int:
    """Return what it costs to pair nothing: the cheapest way, and all that ran."""
    shortest = min(sum(_alone(step.entries) for step in way if isinstance(step, Expected)) for way in ways)
    return shortest + sum(map(_alone, actual))


def _ways_of(item: object, step_mode: str, most: int) -> set[Way]:
    if isinstance(item, Gap):
        return {(GAP,)}
    if isinstance(item, Repeat):
        return _repeat(list_ways(item.steps, step_mode, most), item.min, item.max, most)
    if isinstance(item, ReferenceStep):
        mode = {"at_most": "subset", "at_least": "superset"}.get(item.match_mode or "", item.match_mode)
        return _repeat({(Expected(tuple(item.steps), mode or step_mode),)}, item.min, item.max, most)
    if isinstance(item, OneOf):
        return {way for choice in item.choices for way in _ways_of_choice(choice, step_mode, most)}
    assert isinstance(item, list)
    return {(Expected(tuple(item), step_mode),)}


def _ways_of_choice(choice: object, step_mode: str, most: int) -> set[Way]:
    if isinstance(choice, list) and any(
        isinstance(each, list | ReferenceStep | Gap | Repeat) for each in choice
    ):
        return list_ways(choice, step_mode, most)
    return _ways_of([choice] if isinstance(choice, str) else choice, step_mode, most)


def _repeat(once: set[Way], low: int, high: int | None, most: int) -> set[Way]:
    rows: set[Way] = {()}
    for _ in range(low):
        rows = _join(rows, once, most)
    found = set(rows)
    rounds = low
    while rows and (high is None or rounds < high):
        rows = _join(rows, once, most) - found
        found |= rows
        rounds += 1
    return found


def _join(firsts: set[Way], seconds: set[Way], most: int) -> set[Way]:
    joined = {_fold(first + second) for first, second in product(firsts, seconds)}
    return {way for way in joined if sum(step != GAP for step in way) <= most}


def _fold(way: Way) -> Way:
    return tuple(step for at, step in enumerate(way) if step != GAP or at == 0 or way[at - 1] != GAP)


def _opened(ways: set[Way], trajectory_mode: str) -> Iterator[Way]:
    """Yield ways with what a trajectory mode leaves open."""
    for way in ways:
        if trajectory_mode == "so_far":
            yield from (way[:end] for end in range(len(way) + 1))
        elif trajectory_mode == "starts_with":
            yield (*way, GAP)
        elif trajectory_mode == "contains":
            yield (GAP, *way, GAP)
        elif trajectory_mode == "subsequence":
            yield (GAP, *(each for step in way for each in (step, GAP)))
        else:
            yield way


def _meets(way: Way, actual: Sequence[Sequence[str]]) -> bool:
    if not way:
        return not actual
    first = way[0]
    if isinstance(first, str):
        return any(_meets(way[1:], actual[start:]) for start in range(len(actual) + 1))
    return bool(actual) and _step_passes(first, tuple(actual[0])) and _meets(way[1:], actual[1:])


@lru_cache(maxsize=100_000)
def _cost(way: Way, actual: tuple[tuple[str, ...], ...]) -> int:
    ways_on: list[int] = []
    if not way and not actual:
        return 0
    if actual:
        ways_on.append(_alone(actual[0]) + _cost(way, actual[1:]))
    if way and isinstance(way[0], str):
        ways_on.append(_cost(way[1:], actual))
        if actual:
            ways_on.append(_cost(way, actual[1:]))
    elif way and isinstance(way[0], Expected):
        ways_on.append(_alone(way[0].entries) + _cost(way[1:], actual))
        if actual:
            ways_on.append(_pair_cost(way[0], actual[0]) + _cost(way[1:], actual[1:]))
    return min(ways_on)


def _alone(names: Sequence[object]) -> int:
    return max(1, len(names))


@lru_cache(maxsize=100_000)
def _step_passes(step: Expected, names: tuple[str, ...]) -> bool:
    return superstep_passes(step.entries, names, step.mode)


@lru_cache(maxsize=100_000)
def _pair_cost(step: Expected, names: tuple[str, ...]) -> int:
    shared = max(len(taken) for taken, _ in assignments(step.entries, names, fits))
    missing, extra = len(step.entries) - shared, len(names) - shared
    if step.mode == "subset":
        return extra
    if step.mode == "superset":
        return missing
    if step.mode == "exact" and not missing and not extra:
        return len(names) - longest_common(list(step.entries), list(names))
    return missing + extra
