"""A reference prepared once, and compared with as many runs as there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError
from otel_traj.match.explain.outcome import build_outcome
from otel_traj.match.explain.results_outcome import judge_results
from otel_traj.match.inputs import read_outputs
from otel_traj.match.options import GivenOptions, MatchOptions, read_options
from otel_traj.match.prepared import PreparedReference
from otel_traj.match.reference.references import read_references
from otel_traj.match.runs import check_runs_mode, compare_runs
from otel_traj.match.tool_levels import refuse_tools_of_nodes
from otel_traj.match.values.arguments import read_args_mode
from otel_traj.match.values.results import read_results_mode

if TYPE_CHECKING:
    from otel_traj.match.explain.result import (
        MatchOutcome,
        MatchResult,
        ResultsOutcome,
        ResultsResult,
        ScoreResult,
    )
    from otel_traj.match.given import Outputs, References
    from otel_traj.match.runs import Comparison

__all__ = ["TrajectoryMatcher"]


class TrajectoryMatcher:
    """Compares runs with a reference that was read and compiled once.

    A matcher is a LangSmith evaluator as it is: `evaluate(target, data=..., evaluators=[matcher])`. Without a
    reference of its own it takes that of the example.
    """

    def __init__(self, reference_outputs: References | None = None, **options: Unpack[GivenOptions]) -> None:
        """Prepare a reference.

        Args:
            reference_outputs: What is expected; None takes what each call brings.
            **options: Those of `graph_trajectory_match`, by the same names.

        Raises:
            TrajectoryTypeError: something that is no reference, or an option of a wrong type.
            TrajectoryValueError: an option that is not allowed; the message lists what is.
            InvalidReferenceError: a reference that can't be compared with.
        """
        unknown = sorted(set(options).difference(GivenOptions.__annotations__))
        if unknown:
            raise TrajectoryTypeError(
                f"unknown option {', '.join(unknown)}: nothing would be compared by it. Allowed:"
                f" {', '.join(GivenOptions.__annotations__)}."
            )
        self._options = read_options(options)
        self._args = read_args_mode(options.get("args", "ignore"))
        self._results = read_results_mode(options.get("results", "ignore"))
        self._references = None if reference_outputs is None else self._read_references(reference_outputs)

    @property
    def options(self) -> MatchOptions:
        """The options, checked."""
        return self._options

    @property
    def references(self) -> list[PreparedReference]:
        """What it was made with, compiled.

        Raises:
            TrajectoryTypeError: It was made without.
        """
        return self._find_references(None)

    @property
    def __name__(self) -> str:
        """The key: LangSmith names the trace of an evaluator as a function is named."""
        return self._options.key

    def __call__(
        self, outputs: Outputs, reference_outputs: References | None = None
    ) -> MatchResult | list[MatchResult | ResultsResult]:
        """Compare runs with the reference.

        Args:
            outputs: One run or several, as for `graph_trajectory_match`.
            reference_outputs: What is expected, where the matcher was made without.

        Returns:
            `key`, `score`, `comment`, `metadata`; the metadata of a pass says what was tolerated. Where results are
            compared, a list of two such results, the second one theirs.

        Raises:
            TrajectoryTypeError: something that is no trajectory, or no reference at all.
        """
        return self.answer(outputs, reference_outputs, is_rich=True)

    def answer(
        self, outputs: Outputs, reference_outputs: References | None = None, *, is_rich: bool
    ) -> MatchResult | list[MatchResult | ResultsResult]:
        """Compare as a call does.

        Args:
            outputs: As for a call.
            reference_outputs: As for a call.
            is_rich: Whether a pass has metadata too, which takes longer than the verdict, and a fail says which
                share of the supersteps is met.
        """
        outcome, results = self.judge(outputs, reference_outputs, is_rich=is_rich)
        trajectory = self._make_result(outcome)
        if results is None:
            return trajectory
        second: ResultsResult = {
            "key": f"{self._options.key}_results",
            "score": results.score,
            "comment": results.comment,
            "metadata": results.metadata,
        }
        return [trajectory, second]

    def scores(
        self, outputs: Outputs, reference_outputs: References | None = None
    ) -> list[MatchResult | ScoreResult]:
        """Compare runs, and give every number a key of its own; an evaluator like the matcher itself.

        Args:
            outputs: As for a call.
            reference_outputs: As for a call.

        Returns:
            What a call gives for the trajectories; then `{key}_fitness`, `{key}_precision`, `{key}_recall` and
            `{key}_f1`, each with a score from 0 to 1, or None where it is not known.
        """
        outcome, _ = self.judge(outputs, reference_outputs)
        numbers: list[ScoreResult] = [
            {
                "key": f"{self._options.key}_{name}",
                "score": None if outcome.metadata is None else outcome.metadata[name],
                "comment": None,
                "metadata": None,
            }
            for name in ("fitness", "precision", "recall", "f1")
        ]
        return [self._make_result(outcome), *numbers]

    def matches(self, outputs: Outputs) -> bool:
        """Return whether the runs pass, results left aside; nothing is explained, so it takes linear time.

        Args:
            outputs: As for a call.

        Returns:
            False for a fail, and for what could not be judged.
        """
        return self._compare(outputs, None).verdict == "pass"

    def judge(
        self, outputs: Outputs, reference_outputs: References | None = None, *, is_rich: bool = True
    ) -> tuple[MatchOutcome, ResultsOutcome | None]:
        """Compare runs as a call does.

        Returns:
            The outcome for the trajectories; that for the results, None where they are not compared.
        """
        comparison = self._compare(outputs, reference_outputs)
        return build_outcome(comparison, is_rich=is_rich), judge_results(comparison)

    def check_for_runs(self) -> None:
        """Refuse now what would be refused when the first `Run` comes.

        Raises:
            InvalidReferenceError: It names a tool call, which runs don't list at its level.
            TrajectoryTypeError: It was made without a reference.
            TrajectoryValueError: It compares arguments, which nothing holds at its level.
        """
        refuse_tools_of_nodes(self.references, self._options, self._args)

    def _make_result(self, outcome: MatchOutcome) -> MatchResult:
        return {
            "key": self._options.key,
            "score": outcome.score,
            "comment": outcome.comment,
            "metadata": outcome.metadata,
        }

    def _compare(self, outputs: Outputs, given: References | None) -> Comparison:
        references = self._find_references(given)
        runs = read_outputs(outputs)
        if any(each.run is not None for each in runs):
            refuse_tools_of_nodes(references, self._options, self._args)
        return compare_runs(references, runs, self._options)

    def _find_references(self, given: References | None) -> list[PreparedReference]:
        if self._references is not None:
            return self._references
        if given is None:
            raise TrajectoryTypeError(
                "reference_outputs is None, and the matcher has no reference of its own: there is nothing to compare"
                " with. Pass one to TrajectoryMatcher, or to the call."
            )
        return self._read_references(given)

    def _read_references(self, value: References) -> list[PreparedReference]:
        has_results = self._results is not None
        try:
            given = read_references(value, self._options, self._args, compares_results=has_results)
            references = [PreparedReference.of(each, self._options, self._results) for each in given]
        except RecursionError:
            raise InvalidReferenceError(
                "reference_outputs: loops or alternatives stand in one another too deep to be read. Nest fewer of them."
            ) from None
        check_runs_mode(self._options.runs, len(references))
        return references
