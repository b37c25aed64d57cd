"""How fast the matching engine is: ratios measured in one run, on whatever machine it runs on.

A time alone says little about another machine, a ratio of two things measured in turn does. Each row names what it
is compared with; rounds alternate between the two, and the median of the rounds' ratios counts, so that a busy
moment spoils one round and not the answer. `python benchmarks/match.py` prints the table, `--json PATH` writes the
same as JSON.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

from otel_traj import Gap, Glob, OneOf, ReferenceStep, Regex, Repeat, TrajectoryMatcher

__all__ = ["Row", "main", "measure", "measure_floor", "measure_growth"]

Work: TypeAlias = Callable[[], object]
Steps: TypeAlias = list[list[str]]

ROUNDS = 15
SHORTEST_S = 0.005
"""What is faster is repeated until a round takes about this long."""
PACKAGES = ("otel-traj", "msgspec", "regex")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: two things measured in turn."""

    what: str
    against: str
    milliseconds: float
    """Median processor time of `what`, once."""
    ratio: float
    """Median of the rounds: time of `what` / time of `against`."""


def compare(what: str, work: Work, against: str, other: Work, *, rounds: int = ROUNDS) -> Row:
    """Return how long two things take against each other.

    Args:
        what: Name of the first.
        work: Does it once.
        against: Name of the second.
        other: Does it once.
        rounds: How often they take turns.
    """
    first: list[float] = []
    ratios: list[float] = []
    gc.collect()
    gc.disable()  # or garbage of the one would be collected on the time of the other
    try:
        times = _count(work), _count(other)
        for number in range(rounds):
            if number % 2:
                late, early = _clock(other, times[1]), _clock(work, times[0])
            else:
                early, late = _clock(work, times[0]), _clock(other, times[1])
            first.append(early)
            ratios.append(early / late)
    finally:
        gc.enable()
    return Row(what, against, statistics.median(first) * 1_000, statistics.median(ratios))


def _count(work: Work) -> int:
    work()
    return max(1, int(SHORTEST_S / max(min(_clock(work, 1) for _ in range(5)), 1e-7)))


def _clock(work: Work, times: int) -> float:
    """Return the processor's seconds that it takes once: what others do on the machine is no part of it."""
    started = time.thread_time()
    for _ in range(times):
        work()
    return (time.thread_time() - started) / times


def make_steps(count: int, width: int = 3) -> Steps:
    """Return supersteps of as many nodes each."""
    return [[f"node{number}_{place}" for place in range(width)] for number in range(count)]


def turn(steps: Steps) -> Steps:
    """Return the same supersteps, the names of each in reversed order."""
    return [names[::-1] for names in steps]


def sort_and_compare(expected: Steps, actual: Steps) -> bool:
    """Return whether all supersteps hold the same names: the least that a comparison has to do."""
    return len(expected) == len(actual) and all(
        sorted(wanted) == sorted(seen) for wanted, seen in zip(expected, actual, strict=True)
    )


def measure_floor(count: int = 50, width: int = 3, *, rounds: int = ROUNDS) -> Row:
    """Return `matches` on supersteps of literals against sorting and comparing each superstep."""
    expected, actual = make_steps(count, width), turn(make_steps(count, width))
    matcher = TrajectoryMatcher(expected)
    assert matcher.matches(actual)
    return compare(
        f"matches, {count:,} superstep{'s' * (count > 1)} of {width:,}",
        lambda: matcher.matches(actual),
        "sort and compare",
        lambda: sort_and_compare(expected, actual),
        rounds=rounds,
    )


def measure_growth(count: int, base: int = 100, *, rounds: int = ROUNDS) -> Row:
    """Return `matches` on many supersteps against few; linear is the quotient of the two numbers."""
    many, few = (TrajectoryMatcher(make_steps(size)) for size in (count, base))
    long, short = turn(make_steps(count)), turn(make_steps(base))
    return compare(
        f"matches, {count:,} supersteps",
        lambda: many.matches(long),
        f"{base:,} supersteps",
        lambda: few.matches(short),
        rounds=rounds,
    )


def measure_alignment(count: int, *, rounds: int = 5) -> Row:
    """Return a fail explained against the same fail as a bool; half of the supersteps hold another name."""
    expected = make_steps(count)
    actual = [[*names[:2], "other"] if at % 2 else names for at, names in enumerate(expected)]
    matcher = TrajectoryMatcher(expected)
    outcome, _ = matcher.judge(actual)
    assert outcome.score is matcher.matches(actual) is False
    assert outcome.metadata is not None
    is_capped = outcome.metadata.get("capped", False)
    return compare(
        f"explain, {count} x {count} supersteps{' (capped)' if is_capped else ''}",
        lambda: matcher(actual),
        "matches",
        lambda: matcher.matches(actual),
        rounds=rounds,
    )


def measure_patterns() -> list[Row]:
    """Return `matches` with patterns, loops and gaps against the same supersteps as literals."""
    steps = make_steps(50)
    actual = turn(steps)
    literal = TrajectoryMatcher(steps)
    glob, regex = Glob("node*_0"), Regex(r"node\d+_2")
    mixed = [ReferenceStep([glob, OneOf(names[1], "x"), regex]) for names in steps]
    loop = TrajectoryMatcher([Repeat([[glob, Glob("node*_1"), Glob("node*_2")]], 0, None)])
    optional = TrajectoryMatcher([ReferenceStep(names, min=0) for names in steps])
    gaps = TrajectoryMatcher([part for names in steps[::5] for part in (Gap(), names)] + [Gap()])
    matchers = {
        "Glob, OneOf and Regex in each": TrajectoryMatcher(mixed),
        "a loop without end": loop,
        "each optional": optional,
        "10 gaps": gaps,
    }
    rows = []
    for name, matcher in matchers.items():
        assert matcher.matches(actual), name
        rows.append(
            compare(
                f"matches, 50 supersteps, {name}",
                lambda matcher=matcher: matcher.matches(actual),  # type: ignore[misc] # binds the loop's
                "50 of literals",
                lambda: literal.matches(actual),
            )
        )
    return rows


def measure() -> list[Row]:
    """Return all rows."""
    return [
        measure_floor(),
        measure_floor(1_000),
        measure_floor(10_000, rounds=7),
        measure_floor(1, 10_000),
        measure_floor(50, 200),
        measure_growth(1_000),
        measure_growth(10_000, rounds=7),
        *measure_patterns(),
        measure_alignment(50),
        measure_alignment(300, rounds=3),
        measure_alignment(301),
        measure_alignment(10_000, rounds=3),
    ]


def main() -> None:
    """Measure, print, and write JSON where asked to."""
    parser = argparse.ArgumentParser(description="Measure the matching engine.")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the rows as JSON, too")
    path: Path | None = parser.parse_args().json
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        **{package: version(package) for package in PACKAGES},
    }
    rows = measure()
    print(", ".join(f"{key} {value}" for key, value in about.items()), end="\n\n")
    print("| what | ms | against | ratio |\n|---|---:|---|---:|")
    for row in rows:
        print(f"| {row.what} | {row.milliseconds:.3g} | {row.against} | {row.ratio:.3g} |")
    if path is not None:
        path.write_text(
            json.dumps({**about, "rows": [asdict(row) for row in rows]}, indent=1) + "\n", "utf-8"
        )


if __name__ == "__main__":
    main()
