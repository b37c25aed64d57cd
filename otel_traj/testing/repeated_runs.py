"""The same call made several times, because an agent need not go the same way twice.

An attempt passes where every run that it recorded was judged and passed. One that raised has failed, unless a run of
it ended in that error: then the run is judged, whose reference may allow it. What could not be judged never counts
as passed: where the bound is missed only for want of it, the assertion is *not evaluated*, not failed.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Unpack

from msgspec import Struct
from opentelemetry.sdk.trace import ReadableSpan

from otel_traj.errors import NotEvaluatedError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.names import show_superstep
from otel_traj.match.values_in_words import describe_value, show_value
from otel_traj.model import Run
from otel_traj.testing.judging import choose_references, judge_by_references, judge_expected, make_verdict
from otel_traj.testing.missed_verdicts import describe_missed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from otel_traj.evaluate import Reference, Verdict
    from otel_traj.evaluate.judging.verdict import VerdictWord
    from otel_traj.match import References
    from otel_traj.match.options import GivenOptions

__all__ = ["Attempt", "RepeatedRuns", "Variant", "read_number"]

_MAX_SHOWN = 20
"""Supersteps of a variant in a message."""


class Attempt(Struct, frozen=True, kw_only=True):
    """What one of the calls left behind."""

    runs: tuple[Run, ...]
    """By start; empty where it recorded none."""
    error: Exception | None
    """What it raised."""
    spans: tuple[ReadableSpan, ...]


class Variant(Struct, frozen=True, kw_only=True):
    """One way that the calls went."""

    steps: tuple[list[list[str]], ...]
    """`Run.steps` of each run of the call."""
    count: int
    """How many calls went this way."""


class RepeatedRuns:
    """The runs of the same call made several times."""

    def __init__(
        self,
        attempts: Sequence[Attempt],
        references: Callable[[], Sequence[Reference]],
        on_verdict: Callable[[Verdict], object],
    ) -> None:
        """Keep them; `RunRecorder.repeat` makes this record.

        Args:
            attempts: In their order.
            references: Gives those that `assert_meets` judges by.
            on_verdict: Called with each verdict.
        """
        self.attempts = tuple(attempts)
        """In their order."""
        self._references = references
        self._on_verdict = on_verdict

    @property
    def variants(self) -> list[Variant]:
        """The different ways that the calls went, the commonest first."""
        ways = [tuple(run.steps for run in attempt.runs) for attempt in self.attempts]
        counted = Counter(map(repr, ways))
        first = {repr(way): way for way in reversed(ways)}
        return [Variant(steps=first[key], count=count) for key, count in counted.most_common()]

    def assert_matches(
        self, expected: References, *, at_least: int | None = None, **options: Unpack[GivenOptions]
    ) -> None:
        """Assert that enough of the calls went as expected.

        Args:
            expected: What is expected of the runs of one call, as for `assert_trajectory`.
            at_least: How many of them, from 1; all where it is None.
            **options: Those of `graph_trajectory_match`.

        Raises:
            AssertionError: Too few did; the message counts them, and gives each reason with how often it came.
            NotEvaluatedError: It can't be told whether enough did.
            TrajectoryTypeError: Something that is no reference, or an argument of a wrong type.
            TrajectoryValueError: An option or `at_least` has a value that is not allowed.
            InvalidReferenceError: A reference can't be compared with.
        """
        __tracebackhide__ = True
        self._settle(at_least, lambda attempt: judge_expected(attempt.runs, expected, options))

    def assert_meets(self, reference: str | None = None, *, at_least: int | None = None) -> None:
        """Assert that enough of the calls met their references.

        Args:
            reference: Name of the reference; None leaves the choice to `applies_to`.
            at_least: How many of them, from 1; all where it is None.

        Raises:
            AssertionError: Too few did; the message counts them, and gives each reason with how often it came.
            NotEvaluatedError: It can't be told whether enough did.
            TrajectoryTypeError: An argument is of a wrong type.
            TrajectoryValueError: `at_least` is no number of the calls.
            InvalidReferenceError: There are no references, or none of that name, or one is not valid.
        """
        __tracebackhide__ = True
        chosen = choose_references(self._references(), reference)
        self._settle(at_least, lambda attempt: judge_by_references(attempt.spans, chosen, reference))

    def _settle(self, at_least: int | None, judge: Callable[[Attempt], list[Verdict]]) -> None:
        __tracebackhide__ = True
        number = len(self.attempts)
        wanted = number if at_least is None else read_number(at_least, "at_least", most=number)
        judged = [_judge_attempt(attempt, judge) for attempt in self.attempts]
        for verdict in (verdict for verdicts in judged for verdict in verdicts):
            self._on_verdict(verdict)
        words = Counter(map(_sum_up, judged))
        if words["pass"] >= wanted:
            return
        has_failed = words["pass"] + words["not_evaluated"] < wanted
        head = f"{'FAIL' if has_failed else 'NOT EVALUATED'} {words['pass']} of {number} attempts passed"
        head += f", at least {wanted} wanted: {words['fail']} failed, {words['not_evaluated']} not evaluated"
        text = "\n".join([head, *_list_reasons(judged), *_list_variants(self.variants)])
        raise (AssertionError if has_failed else NotEvaluatedError)(text)


def read_number(given: object, name: str, *, most: int | None = None) -> int:
    """Return a number of calls, from 1.

    Args:
        given: As the caller gave it.
        name: Of the argument.
        most: The largest that is allowed.

    Raises:
        TrajectoryTypeError: It is no whole number.
        TrajectoryValueError: It is out of bounds.
    """
    if not isinstance(given, int) or isinstance(given, bool):
        raise TrajectoryTypeError(
            f"{name} is {describe_value(given)}, which counts no attempts; give a whole number"
        )
    if given < 1 or (most is not None and given > most):
        allowed = "from 1" if most is None else f"from 1 to {most}, for there are {most} attempts"
        raise TrajectoryValueError(
            f"{name} is {given}, and nothing would be asserted by it; give a number {allowed}"
        )
    return given


def _judge_attempt(attempt: Attempt, judge: Callable[[Attempt], list[Verdict]]) -> list[Verdict]:
    error = attempt.error
    if error is not None and not any(run.status == "error" for run in attempt.runs):
        return [make_verdict("fail", f"the call raised {type(error).__name__}: {show_value(str(error))}")]
    return judge(attempt) if attempt.runs else [make_verdict("not_evaluated", "the call recorded no run")]


def _sum_up(verdicts: Sequence[Verdict]) -> VerdictWord:
    words = {verdict.verdict for verdict in verdicts}
    return "fail" if "fail" in words else "pass" if words == {"pass"} else "not_evaluated"


def _list_reasons(judged: Sequence[Sequence[Verdict]]) -> Iterator[str]:
    for reason, count in Counter(filter(None, map(describe_missed, judged))).most_common():
        yield f"  {_say_times(count)}:"
        yield from (f"    {line}" if line else "" for line in reason.splitlines())


def _list_variants(variants: Sequence[Variant]) -> Iterator[str]:
    yield "  ways that they went:"
    for variant in variants:
        ways = "; then ".join(map(_show_steps, variant.steps)) or "no run"
        yield f"    {_say_times(variant.count)}: {ways}"


def _say_times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _show_steps(steps: list[list[str]]) -> str:
    shown = " ".join(map(show_superstep, steps[:_MAX_SHOWN])) or "no superstep"
    hidden = len(steps) - _MAX_SHOWN
    return f"{shown} and {hidden} more" if hidden > 0 else shown
