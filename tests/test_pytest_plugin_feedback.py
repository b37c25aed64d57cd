"""The plugin inside LangSmith's tests: verdicts become feedback there, and nowhere else."""

from __future__ import annotations

import pytest

from tests.plugin_sessions import run

# What the inner sessions use is loaded here once, and not by each of them anew.
from tests.testing.asking import LONG, SHORT, ask  # noqa: F401 - as above

pytest_plugins = ["pytester", "tests.plugin_sessions"]

LANGSMITH = """
    import langsmith.testing

    told = []

    @pytest.fixture(autouse=True)
    def listen(monkeypatch):
        def log_feedback(**feedback):
            told.append(feedback)
            {answer}
        monkeypatch.setattr(langsmith.testing, "log_feedback", log_feedback)

    {marker}
    def test_way(run_recorder):
        ask(run_recorder)
        run_recorder.assert_matches(LONG)
        with pytest.raises(AssertionError):
            run_recorder.assert_matches(LONG[:1])

    def test_told():
        print("told:", [(each["key"], each["score"], (each["comment"] or "")[:11]) for each in told])
"""


@pytest.mark.parametrize("answer", ["", "raise ConnectionError('LangSmith is away')"])
def test_verdicts_are_feedback_of_a_langsmith_test(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    """Each verdict within such a test is logged by LangSmith's public function; that it is away fails nothing."""
    monkeypatch.setenv("LANGSMITH_TEST_TRACKING", "false")
    tests = LANGSMITH.format(answer=answer, marker="@pytest.mark.langsmith")
    result = run(project, tests, "-s")
    result.assert_outcomes(passed=2)
    key = "graph_trajectory_match"
    result.stdout.fnmatch_lines_random(
        [f"*told: [[]('{key}', True, ''), ('{key}', False, 'superstep 2')[]]*"]
    )


def test_other_tests_are_not_langsmiths(project: pytest.Pytester) -> None:
    """Without LangSmith's marker nothing is logged, though its plugin is there."""
    result = run(project, LANGSMITH.format(answer="", marker=""), "-s")
    result.stdout.fnmatch_lines_random(["*told: [[][]]*"])


def test_the_real_langsmith_in_a_test_that_is_not_tracked(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With tracking switched off its own function is called, and does nothing."""
    monkeypatch.setenv("LANGSMITH_TEST_TRACKING", "false")
    tests = """
    @pytest.mark.langsmith
    @pytest.mark.otel_traj(reference="long path")
    def test_way(run_recorder):
        ask(run_recorder)
        run_recorder.assert_matches(LONG)
    """
    run(project, tests).assert_outcomes(passed=1)
