"""`assert_trajectory`: a comparison as a test asserts it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from otel_traj.errors import NotEvaluatedError
from otel_traj.match.explain.terminal_text import describe_outcome
from otel_traj.match.inputs import refuse
from otel_traj.match.matcher import TrajectoryMatcher

if TYPE_CHECKING:
    from otel_traj.match.given import Outputs, References
    from otel_traj.match.options import GivenOptions

__all__ = ["assert_trajectory"]


def assert_trajectory(actual: Outputs, expected: References, **options: Unpack[GivenOptions]) -> None:
    """Assert that runs meet their references.

    What could not be judged is no pass: an incomplete run, one that waits for a person, arguments or results that were
    not recorded fail the assertion as well, with the reason.

    Args:
        actual: One run or several, as for `graph_trajectory_match`.
        expected: What is expected of them.
        **options: Those of `graph_trajectory_match`, by the same names.

    Raises:
        AssertionError: They do not; the message is the explanation, superstep by superstep.
        NotEvaluatedError: Nothing fails, but something could not be judged; an `AssertionError` too.
        TrajectoryTypeError: something that is no trajectory; the message says where.
        TrajectoryValueError: an option or a name that is not allowed; the message lists what is.
        InvalidReferenceError: a reference that can't be compared with.
    """
    __tracebackhide__ = True
    if expected is None:
        refuse("reference_outputs", "it", "is None")
    matcher = TrajectoryMatcher(expected, **options)
    outcome, results = matcher.judge(actual, is_rich=False)
    judged = ((matcher.options.key, outcome), (f"{matcher.options.key}_results", results))
    missed = [(key, each) for key, each in judged if each is not None and each.score is not True]
    if missed:
        has_failed = any(each.verdict == "fail" for _, each in missed)
        raise (AssertionError if has_failed else NotEvaluatedError)(
            "\n\n".join(
                describe_outcome(key, each.verdict, each.comment, matcher.options, each.metadata)
                for key, each in missed
            )
        )
