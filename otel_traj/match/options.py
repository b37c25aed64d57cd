"""The options of a comparison, checked once and in canonical form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, TypeVar, get_args

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.levels import Level
from otel_traj.match.modes import (
    DEFAULT_IGNORE,
    DEFAULT_STATUS,
    DuplicatesMode,
    JudgedStatus,
    RunsMode,
    StepMode,
    TrajectoryMode,
    canonical_mode,
)
from otel_traj.match.reference.name_patterns import Glob
from otel_traj.match.values_in_words import describe_value, show_value

if TYPE_CHECKING:
    from otel_traj.match.modes import GraphTrajectoryMatchMode
    from otel_traj.match.values.arguments import ArgsMode
    from otel_traj.match.values.results import ResultsMode

__all__ = ["GivenOptions", "MatchOptions", "TrajectoryOptions", "read_options"]

_Word = TypeVar("_Word", bound=str)
_Kind = TypeVar("_Kind")


class TrajectoryOptions(TypedDict, total=False):
    """The options of a comparison of trajectories; one that is left out has its default."""

    step_mode: GraphTrajectoryMatchMode
    trajectory_mode: TrajectoryMode
    runs: RunsMode
    duplicates: DuplicatesMode
    ignore: Iterable[str | Glob]
    level: Level
    args: ArgsMode
    depth: int | None
    status: str | Iterable[str]
    key: str


class GivenOptions(TrajectoryOptions, total=False):
    """All options as a user gives them."""

    results: ResultsMode


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOptions:
    """Checked options."""

    step_mode: StepMode
    """The mode of every reference superstep that has none of its own."""
    trajectory_mode: TrajectoryMode
    runs: RunsMode
    duplicates: DuplicatesMode
    ignore: frozenset[str]
    ignore_globs: tuple[Glob, ...]
    level: Level
    depth: int | None
    """How far down subgraphs are looked into; None: as far as they go."""
    status: frozenset[str]
    """Statuses in which a run does not fail for its status."""
    key: str

    @property
    def looks_inside(self) -> bool:
        """Whether anything but the graph's own nodes is compared."""
        return self.level != "nodes" or self.depth != 0

    def ignores(self, name: str) -> bool:
        """Return whether a name is left out."""
        return name in self.ignore or any(glob.accepts(name) for glob in self.ignore_globs)

    def ignores_any(self, names: Iterable[str]) -> bool:
        """Return whether a name may be left out; it is cheaper to ask once for a whole run."""
        return bool(self.ignore_globs) or not self.ignore.isdisjoint(names)

    def filter_names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return names without those that are ignored."""
        if self.ignore_globs or not self.ignore.isdisjoint(names):
            return tuple(name for name in names if not self.ignores(name))
        return names


def read_options(given: GivenOptions) -> MatchOptions:
    """Check the options of a call.

    Args:
        given: Options by name; `results` and `args` are read where they are used.

    Raises:
        TrajectoryTypeError: A value of a wrong type.
        TrajectoryValueError: A value that is not allowed; the message lists what is.
    """
    ignore = _read_ignore(given.get("ignore", DEFAULT_IGNORE))
    return MatchOptions(
        step_mode=canonical_mode(given.get("step_mode", "unordered")),
        trajectory_mode=_read_word(
            given.get("trajectory_mode", "strict"), "trajectory_mode", get_args(TrajectoryMode)
        ),
        runs=_read_word(given.get("runs", "strict"), "runs", get_args(RunsMode)),
        duplicates=_read_word(given.get("duplicates", "count"), "duplicates", get_args(DuplicatesMode)),
        ignore=frozenset(name for name in ignore if isinstance(name, str)),
        ignore_globs=tuple(name for name in ignore if isinstance(name, Glob)),
        level=_read_word(given.get("level", "nodes"), "level", get_args(Level)),
        depth=_read_depth(given.get("depth", 0)),
        status=_read_status(given.get("status", DEFAULT_STATUS)),
        key=_read_key(given.get("key", "graph_trajectory_match")),
    )


def _read_word(value: object, option: str, allowed: tuple[_Word, ...]) -> _Word:
    for word in allowed:
        if isinstance(value, str) and value == word:
            return word
    raise TrajectoryValueError(
        f"{option} is {show_value(value)}: nothing can be compared by it. Allowed: {', '.join(allowed)}."
    )


def _read_depth(depth: object) -> int | None:
    if depth is None:
        return None
    if not isinstance(depth, int) or isinstance(depth, bool):
        raise TrajectoryTypeError(
            f"depth is {describe_value(depth)}: it counts levels of subgraphs. Write a whole number, or None for all."
        )
    if depth < 0:
        raise TrajectoryValueError(
            f"depth is {depth}: no subgraph lies there. Write 0 or more, or None for all."
        )
    return depth


def _read_ignore(ignore: object) -> list[str | Glob]:
    if isinstance(ignore, str):
        raise TrajectoryTypeError(
            f"ignore is the string {ignore!r}: its letters would be taken for names. Write a list, [{ignore!r}]."
        )
    return _read_words(
        ignore, "ignore", (str, Glob), "only strings can be compared with names. Write a string or Glob."
    )


def _read_words(words: object, option: str, kinds: tuple[type[_Kind], ...], why: str) -> list[_Kind]:
    if not isinstance(words, Iterable):
        raise TrajectoryTypeError(
            f"{option} is {show_value(words)}, no collection of strings: nothing can be looked up in it. Write a list."
        )
    collected = list(words)
    for word in collected:
        if not isinstance(word, kinds):
            raise TrajectoryTypeError(f"{option} holds {describe_value(word)}: {why}")
    return collected


def _read_status(status: object) -> frozenset[str]:
    allowed = get_args(JudgedStatus)
    words = (
        [status] if isinstance(status, str) else _read_words(status, "status", (str,), "a status is a word.")
    )
    unknown = sorted(set(words).difference(allowed, {"any"}))
    if unknown or not words:
        found = ", ".join(map(repr, unknown)) or "nothing"
        raise TrajectoryValueError(
            f"status allows {found}: no run can be judged by it. Allowed: {', '.join(allowed)}, or any."
        )
    return frozenset(allowed) if "any" in words else frozenset(words)


def _read_key(key: object) -> str:
    if not isinstance(key, str) or not key:
        raise TrajectoryTypeError(
            f"key is {key!r}: a result is found by its name. Write a string that is not empty."
        )
    return key
