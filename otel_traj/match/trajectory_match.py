"""`graph_trajectory_match` and its async twin: the comparison as an evaluator that answers with four keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack, overload

from otel_traj.match.inputs import refuse
from otel_traj.match.matcher import TrajectoryMatcher
from otel_traj.match.modes import DEFAULT_IGNORE, DEFAULT_STATUS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.match.explain.result import MatchResult, ResultsResult
    from otel_traj.match.given import Outputs, References
    from otel_traj.match.levels import Level
    from otel_traj.match.modes import DuplicatesMode, GraphTrajectoryMatchMode, RunsMode, TrajectoryMode
    from otel_traj.match.options import GivenOptions, TrajectoryOptions
    from otel_traj.match.reference.name_patterns import Glob
    from otel_traj.match.values.arguments import ArgsMode
    from otel_traj.match.values.results import ResultsMode, ResultsRule

__all__ = ["graph_trajectory_match", "graph_trajectory_match_async"]

_KEY = "graph_trajectory_match"


@overload
def graph_trajectory_match(
    *,
    outputs: Outputs,
    reference_outputs: References,
    results: Literal["ignore"] = "ignore",
    **options: Unpack[TrajectoryOptions],
) -> MatchResult: ...


@overload
def graph_trajectory_match(
    *,
    outputs: Outputs,
    reference_outputs: References,
    results: ResultsRule,
    **options: Unpack[TrajectoryOptions],
) -> list[MatchResult | ResultsResult]: ...


def graph_trajectory_match(
    *,
    outputs: Outputs,
    reference_outputs: References,
    step_mode: GraphTrajectoryMatchMode = "unordered",
    trajectory_mode: TrajectoryMode = "strict",
    runs: RunsMode = "strict",
    duplicates: DuplicatesMode = "count",
    ignore: Iterable[str | Glob] = DEFAULT_IGNORE,
    results: ResultsMode = "ignore",
    level: Level = "nodes",
    args: ArgsMode = "ignore",
    depth: int | None = 0,
    status: str | Iterable[str] = DEFAULT_STATUS,
    key: str = _KEY,
) -> MatchResult | list[MatchResult | ResultsResult]:
    """Compare graph runs with their references, superstep by superstep.

    In the trajectory mode `strict` supersteps must be as many as expected: `subset` lets no whole superstep vanish,
    `superset` adds none. For that there are optional supersteps, gaps and the other trajectory modes.

    Args:
        outputs: One run or several, in order: mappings with `steps`, plain lists of supersteps, or `Run` records,
            whose status and completeness are looked at too.
        reference_outputs: What is expected: the same forms, and mappings with `any_of`, `rules` or `model_calls`; a
            superstep may hold patterns (`Glob`, `Regex`, `Any`, `OneOf`, `Tool`), and in its place may stand a
            `ReferenceStep`, `Repeat`, `Gap` or `OneOf`.
        step_mode: How a superstep is compared, actual against reference: `exact` (same names, same order),
            `unordered`, `subset` or `at_most` (actual lies within the reference), `superset` or `at_least`
            (actual contains the reference).
        trajectory_mode: How whole trajectories are compared: `strict`, `starts_with` (the run begins with the
            reference), `so_far` (the run is a beginning of it), `contains`, `subsequence`, `steps_any_order`, or
            without supersteps `flat_exact`, `flat_in_order`, `flat_unordered`, `flat_subset`, `flat_superset`.
        runs: How several runs are compared: `strict` (run i with reference i), or with the one reference `each`,
            the `last`, the `first`, or `any` of them.
        duplicates: `count` takes two tasks of a node for two, `ignore` for one.
        ignore: Names or globs that are left out on both sides; a superstep that loses all its names is dropped.
        results: How results are compared: `ignore`, `exact`, `subset`, `superset`, or a callable(actual, expected)
            that returns a bool or (bool, str).
        level: What is compared: `nodes`, `tools` (the tool calls by superstep) or `both` (tools as `node>tool`);
            for `Run` records.
        args: How arguments of tools are compared: `ignore`, `exact`, `subset`, `superset`, a list of key paths, an
            `ArgsMatch`, a callable, or a mapping of these by tool. A `Tool` may say it for itself.
        depth: How many levels of subgraphs are looked into, None for all; inner names are `outer/inner`.
        status: Statuses in which a `Run` does not fail: a word, several, or `any`.
        key: The result's key.

    Returns:
        `key`; `score`: True, False, or None where nothing can be judged (incomplete, waiting for a resume, not
        recorded, broken); `comment`: why, superstep by superstep, at most 2,048 bytes; `metadata`: the same for
        programs, with both sides whole. For a pass comment and metadata are None. Where results are compared, a list
        of two such results, the second one theirs.

    Raises:
        TrajectoryTypeError: something that is no trajectory; the message says where.
        TrajectoryValueError: an option or a name that is not allowed; the message lists what is.
        InvalidReferenceError: a reference that can't be compared with.
    """
    return _match(
        outputs,
        reference_outputs,
        step_mode=step_mode,
        trajectory_mode=trajectory_mode,
        runs=runs,
        duplicates=duplicates,
        ignore=ignore,
        results=results,
        level=level,
        args=args,
        depth=depth,
        status=status,
        key=key,
    )


@overload
async def graph_trajectory_match_async(
    *,
    outputs: Outputs,
    reference_outputs: References,
    results: Literal["ignore"] = "ignore",
    **options: Unpack[TrajectoryOptions],
) -> MatchResult: ...


@overload
async def graph_trajectory_match_async(
    *,
    outputs: Outputs,
    reference_outputs: References,
    results: ResultsRule,
    **options: Unpack[TrajectoryOptions],
) -> list[MatchResult | ResultsResult]: ...


async def graph_trajectory_match_async(
    *, outputs: Outputs, reference_outputs: References, **options: Unpack[GivenOptions]
) -> MatchResult | list[MatchResult | ResultsResult]:
    """Compare as `graph_trajectory_match` does, for callers that await their evaluators.

    It computes without waiting for anything; arguments, result and errors are those of its twin.
    """
    return _match(outputs, reference_outputs, **options)


def _match(
    outputs: Outputs, reference_outputs: References, **options: Unpack[GivenOptions]
) -> MatchResult | list[MatchResult | ResultsResult]:
    if reference_outputs is None:
        refuse("reference_outputs", "it", "is None")
    return TrajectoryMatcher(reference_outputs, **options).answer(outputs, is_rich=False)
