"""Wrong ways to call the reading functions: each an error in our words, at the call."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest

from otel_traj import extract_trajectories, read_runs
from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from tests.otlp_lines import write_lines
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from pathlib import Path

    from otel_traj.model import SourceProblem, Span


def make_spans() -> list[Span]:
    """Return a run of one node."""
    run = RecordedRun("r", thread="t")
    run.task("a", 1)
    return run.spans()


@pytest.mark.parametrize(
    "keywords",
    [
        {"graph": 5},
        {"graph": b"g"},
        {"service": ["svc"]},
        {"thread": 5},
        {"run": 5},
        {"trace": 5},
        {"since": 5},
        {"until": 1.5},
        {"status": 5},
        {"status": [["ok"]]},
        {"status": [1, "ok"]},
        {"attributes": 5},
        {"attributes": "k=v"},
        {"attributes": [("k", "v")]},
        {"attributes": {1: "v"}},
        {"node_order": 5},
        {"node_order": "abc"},
        {"node_order": [1]},
        {"node_order": [["a"]]},
        {"on_problem": 5},
    ],
    ids=repr,
)
@pytest.mark.parametrize("read", [read_runs, extract_trajectories])
def test_a_keyword_of_a_wrong_type_is_refused_at_the_call(read: Any, keywords: dict[str, object]) -> None:  # noqa: ANN401 - wrong on purpose
    """The message names the keyword and what it takes; nothing is read first."""
    (name,) = keywords
    with pytest.raises(TrajectoryTypeError, match=name):
        read(make_spans(), **keywords)


@pytest.mark.parametrize(
    "keywords",
    [
        {"status": "done"},
        {"status": []},
        {"trace": "xyz"},
        {"trace": ""},
        {"since": ""},
        {"since": "yesterday"},
        {"since": "2026-11-30"},
        {"since": "-5m"},
        {"until": "999999999d"},
    ],
    ids=repr,
)
def test_a_keyword_of_a_wrong_value_is_refused_at_the_call(keywords: dict[str, Any]) -> None:
    """The message says what is allowed."""
    with pytest.raises(TrajectoryValueError):
        read_runs(make_spans(), **keywords)


def test_keywords_that_select_nothing_give_nothing() -> None:
    """A run that no keyword meets is no error."""
    choices: list[dict[str, Any]] = [
        {"graph": "x"},
        {"run": ""},
        {"attributes": {"k": None}},
        {"status": "open"},
    ]
    for keywords in choices:
        assert list(read_runs(make_spans(), **keywords)) == []


def test_a_generator_is_read_once_and_the_second_reading_says_so() -> None:
    """It can't be gone back to; that it holds nothing any more is a problem, not an error."""
    spans = (span for span in make_spans())
    problems: list[SourceProblem] = []
    assert len(list(read_runs(spans, on_problem=problems.append))) == 1
    assert problems == []
    assert list(read_runs(spans, on_problem=problems.append)) == []
    assert [problem.code for problem in problems] == ["empty_source"]


class StopReadingError(Exception):
    """What a caller raises to stop."""


@pytest.mark.parametrize("read", [read_runs, extract_trajectories])
def test_what_on_problem_raises_comes_through(tmp_path: Path, read: Any) -> None:  # noqa: ANN401 - two functions alike
    """A caller who wants the first problem to be the last gets it; the file is closed."""
    path = write_lines(tmp_path / "traces.jsonl", make_spans(), "broken")

    def stop(problem: SourceProblem) -> None:
        raise StopReadingError(problem.code)

    with pytest.raises(StopReadingError, match="unreadable_line"):
        list(read(path, on_problem=stop))
    gc.collect()


def test_a_reading_that_is_left_closes_the_file(tmp_path: Path) -> None:
    """A caller may take the first run and go, or not even begin."""
    path = write_lines(tmp_path / "traces.jsonl", make_spans())
    runs = read_runs(path)
    assert next(runs).run_id
    del runs
    read_runs(path)
    gc.collect()


def test_an_error_of_a_spans_iterator_comes_through() -> None:
    """What the caller's own generator raises is the caller's."""

    def broken() -> Any:  # noqa: ANN401 - yields, then raises
        yield from make_spans()
        raise StopReadingError

    with pytest.raises(StopReadingError):
        list(read_runs(broken()))
