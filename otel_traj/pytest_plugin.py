"""The plugin for pytest (8.0 and newer): a fixture that records, a marker that judges, properties for the report.

It loads with every pytest session of an environment that has this package, so that it imports nothing but pytest
before a test uses it. What it offers beyond that is in `otel_traj.testing`, which needs no pytest.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from otel_traj.evaluate import Reference, Verdict
    from otel_traj.testing import RunRecorder

__all__ = [
    "pytest_addoption",
    "pytest_configure",
    "pytest_runtest_call",
    "pytest_runtest_setup",
    "run_recorder",
]

_MARKER = "otel_traj"
_FIXTURE = "run_recorder"
_references_key = pytest.StashKey["list[Reference]"]()
_HELP = (
    f"{_MARKER}(reference=None): judge the runs that the test records with {_FIXTURE} by the references of "
    "--otel-traj-references: by the one that is named, else by those that apply."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, and the line of the configuration that names the references for good."""
    group = parser.getgroup("otel_traj", "agent trajectories")
    group.addoption(
        "--otel-traj-references", metavar="FILE", help="references (YAML or JSON) to judge runs by"
    )
    parser.addini("otel_traj_references", "references (YAML or JSON) to judge runs by, relative to rootdir")
    group.addoption(
        "--otel-traj-out", metavar="FILE", help="append the spans of every test to this file as well"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Describe the marker.

    Raises:
        pytest.UsageError: The reference file is not there.
    """
    config.addinivalue_line("markers", _HELP)
    path = _find_references(config)
    if path is not None and not path.is_file():
        raise pytest.UsageError(
            f"otel_traj: the reference file {str(path)!r} does not exist; its path is relative to rootdir"
        )


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let a test fail to start whose marker nothing could be judged by.

    It is told of each test by itself, for pytest-xdist knows no usage error of a worker.
    """
    marker = item.get_closest_marker(_MARKER)
    complaint = None if marker is None else _find_misuse(item, marker)
    if complaint is not None:
        pytest.fail(f"otel_traj: {complaint}", pytrace=False)


@pytest.fixture
def run_recorder(request: pytest.FixtureRequest) -> Iterator[RunRecorder]:
    """Records the runs of this test in memory: pass `run_recorder.handler` as a callback of the agent."""
    from otel_traj.testing import RunRecorder

    item: pytest.Item = request.node

    def report(verdict: Verdict) -> None:
        item.user_properties.extend(_list_properties(verdict))
        if item.get_closest_marker("langsmith"):
            _log_feedback(verdict)

    path = request.config.getoption("otel_traj_out")
    with RunRecorder(references=_load_references(request.config), path=path, on_verdict=report) as recorder:
        yield recorder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Judge the runs of a marked test, once it has ended well itself."""
    result = yield
    marker = item.get_closest_marker(_MARKER)
    missed = None if marker is None else _judge(item, marker)
    if missed is not None:
        # No line of the test stands in a traceback from here.
        pytest.fail(missed, pytrace=False)
    return result


def _judge(item: pytest.Item, marker: pytest.Mark) -> str | None:
    """Return why the runs of a marked test don't pass, None where they do."""
    recorder: RunRecorder = getattr(item, "funcargs", {})[_FIXTURE]
    try:
        recorder.assert_meets(_read_name(marker))
    except AssertionError as error:
        return str(error)
    return None


def _find_references(config: pytest.Config) -> Path | None:
    given = config.getoption("otel_traj_references") or config.getini("otel_traj_references")
    return config.rootpath / given if given else None


def _load_references(config: pytest.Config) -> Iterator[Reference]:
    """Yield the references of the session's file, which is read when a test first asks."""
    from otel_traj.testing.judging import read_references

    if _references_key not in config.stash:
        config.stash[_references_key] = read_references(_find_references(config))
    yield from config.stash[_references_key]


def _find_misuse(item: pytest.Item, marker: pytest.Mark) -> str | None:
    """Return what is wrong with a marker, None where nothing is."""
    unknown = sorted(set(marker.kwargs) - {"reference"})
    if marker.args or unknown:
        found = ", ".join([*map(repr, marker.args), *unknown])
        return f"the marker takes reference= alone, and was given {found}"
    if _FIXTURE not in getattr(item, "fixturenames", ()):
        return f"the test is marked {_MARKER} and does not use the fixture {_FIXTURE}, so that it has no run to judge"
    from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError
    from otel_traj.testing.judging import choose_references

    try:
        choose_references(list(_load_references(item.config)), _read_name(marker))
    except (InvalidReferenceError, TrajectoryTypeError) as error:
        return str(error)
    return None


def _read_name(marker: pytest.Mark) -> str | None:
    name: str | None = marker.kwargs.get("reference")
    return name


def _list_properties(verdict: Verdict) -> list[tuple[str, object]]:
    """Return what pytest's JUnit XML says of a verdict beside the message of the assertion."""
    traces = [trace_id for run in verdict.runs for trace_id in run.trace_ids]
    facts = {
        "key": verdict.key,
        "verdict": verdict.verdict,
        "score": verdict.score,
        "reference": verdict.reference,
        "run_id": verdict.run_id or " ".join(verdict.run_ids or ()),
        "trace_id": " ".join(traces),
    }
    return [(f"otel_traj.{name}", str(value)) for name, value in facts.items() if value not in (None, "")]


def _log_feedback(verdict: Verdict) -> None:
    """Log a verdict as feedback of LangSmith's test; a test never fails because LangSmith is away."""
    langsmith = sys.modules.get("langsmith.testing")
    if langsmith is None:
        return
    try:
        langsmith.log_feedback(key=verdict.key, score=verdict.score, comment=verdict.comment)
    except Exception:  # noqa: BLE001 - LangSmith's own troubles, and a call after its test has ended
        return
