"""References made by hand are checked as those of a file are, before anything is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from otel_traj import InvalidReferenceError, Rules, Tool, TrajectoryTypeError, TrajectoryValueError
from otel_traj.evaluate import Reference
from otel_traj.evaluate.judging.prepared_references import prepare_references
from otel_traj.evaluate.references.reference import ExpectedResults, ExpectedThread
from tests.evaluate.judging.threads import ANSWERS, ASKS, expect_thread

if TYPE_CHECKING:
    from pathlib import Path


def _expect(thread: Any, **more: Any) -> list[Reference]:  # noqa: ANN401 - whatever a user passes
    return [Reference(name="talk", thread=thread, **more), ASKS, ANSWERS]


@pytest.mark.parametrize(
    ("references", "error", "words"),
    [
        (
            _expect("asks"),
            TrajectoryTypeError,
            "'talk': its thread is 'asks' of type str, which names no runs",
        ),
        (_expect(ExpectedThread(runs="asks")), TrajectoryTypeError, "'talk': its thread is"),  # type: ignore[arg-type]
        (
            _expect(ExpectedThread(runs=())),
            InvalidReferenceError,
            "'talk': its thread names nothing, which is no",
        ),
        (
            _expect(ExpectedThread(runs=("asks", "greets"))),
            InvalidReferenceError,
            "'talk': its thread names 'greets', which is no reference of runs",
        ),
        (
            _expect(ExpectedThread(runs=("talk",))),
            InvalidReferenceError,
            "names 'talk', which is no reference of runs",
        ),
        (
            _expect(ExpectedThread(runs=("asks", "answers"), mode="each")),
            InvalidReferenceError,
            "'talk': runs is 'each', which compares with one reference, and there are 2",
        ),
        (
            _expect(ExpectedThread(runs=("asks",), mode="all")),  # type: ignore[arg-type]
            TrajectoryValueError,
            "the mode 'all', by which nothing can be compared; give one of strict, each, last, first, any",
        ),
        (
            _expect(ExpectedThread(runs=("asks",)), steps=[["a"]]),
            InvalidReferenceError,
            "'talk' has steps beside its thread",
        ),
        (
            _expect(ExpectedThread(runs=("asks",)), results=ExpectedResults(value={})),
            InvalidReferenceError,
            "'talk' has results beside its thread",
        ),
        (
            [Reference(name="tool", steps=[[Tool("search")]])],
            InvalidReferenceError,
            "'tool': .*level is 'nodes'",
        ),
        (
            [Reference(name="args", steps=[["a"]], args="exact")],
            TrajectoryValueError,
            "'args': args says how",
        ),
        ([Reference(name="nothing")], TrajectoryTypeError, "'nothing': "),
        (
            [Reference(name="ignored", results=ExpectedResults(value=1, mode="ignore"))],
            TrajectoryTypeError,
            "'ignored': ",
        ),
        ([Reference(name="depth", steps=[["a"]], depth=-1)], TrajectoryValueError, "'depth': depth is -1"),
        ([Reference(name="empty", steps=[])], InvalidReferenceError, "steps of 'empty' are empty"),
    ],
)
def test_what_can_t_be_compared_with_is_refused_by_name(
    references: list[Reference], error: type[Exception], words: str
) -> None:
    """The error names the reference, what is wrong with it and what is allowed; nothing waits for a run to come."""
    with pytest.raises(error, match=words):
        prepare_references(references)


def test_the_two_kinds_are_kept_apart() -> None:
    """A thread's reference finds those that it names, in its own order and as often as it names them."""
    talk = expect_thread("answers", "asks", "answers")
    known = prepare_references([talk, ASKS, ANSWERS])
    assert (known.of_threads, known.of_runs) == ([talk], [ASKS, ANSWERS])
    assert known.list_named(talk) == [ANSWERS, ASKS, ANSWERS]
    assert known.says_trajectory(talk)
    assert not known.says_results(talk)


def test_what_is_expected_is_told_from_what_is_compared() -> None:
    """Results that are ignored are not expected, and rules alone are about the trajectory."""
    rules = Reference(
        name="rules", rules=Rules(forbidden=["a"]), results=ExpectedResults(value=1, mode="ignore")
    )
    results = Reference(name="results", results=ExpectedResults(value=1))
    known = prepare_references([rules, results])
    assert (known.says_trajectory(rules), known.says_results(rules)) == (True, False)
    assert (known.says_trajectory(results), known.says_results(results)) == (False, True)


def test_no_references_are_none() -> None:
    """None stands for no references at all, which an empty list does not."""
    assert prepare_references(None).all == []
    with pytest.raises(InvalidReferenceError, match="there is no reference"):
        prepare_references([])


def test_a_file_is_loaded(tmp_path: Path) -> None:
    """A path is a reference file, threads included."""
    path = tmp_path / "references.yaml"
    path.write_text(
        "version: 1\nreferences:\n  - {name: talk, thread: {runs: [asks]}}\n  - {name: asks, steps: [ask]}\n",
        encoding="utf-8",
    )
    known = prepare_references(path)
    assert [each.name for each in known.all] == ["talk", "asks"]
    assert list(known.thread_matchers) == ["talk"]
