"""The plugin in sessions of its own; those that are alone in their process are as a user would start them."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from otel_traj import read_runs
from tests.missing_api import needs
from tests.plugin_sessions import ALONE, ASK, read_properties, run
from tests.test_imports import RECORDED_WITH, SENT_WITH, list_imported

# What the inner sessions use is loaded here once, and not by each of them anew.
from tests.testing.asking import LONG, SHORT, ask  # noqa: F401 - as above

pytest_plugins = ["pytester", "tests.plugin_sessions"]


def test_it_costs_nothing_before_it_is_used() -> None:
    """Beside pytest the plugin loads itself and the package's own name, nothing else."""
    before = list_imported("import pytest")
    assert list_imported("import pytest, otel_traj.pytest_plugin") - before == {
        "otel_traj",
        "otel_traj.pytest_plugin",
    }


def test_a_session_without_agents_loads_nothing(pytester: pytest.Pytester) -> None:
    """Tests that use no part of it run beside the plugin, and no other module of ours is loaded at their end."""
    pytester.makeconftest("""
        import sys
        def pytest_sessionfinish():
            loaded = sorted(name for name in sys.modules if name.split(".")[0] in ("otel_traj", "langgraph"))
            print("loaded:", *loaded)
    """)
    pytester.makepyfile("def test_plain(): pass")
    result = pytester.runpytest_subprocess(*ALONE, "-s", "-p", "no:langsmith_plugin")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*loaded: otel_traj otel_traj.pytest_plugin"])


def test_a_recorder_loads_langchain_with_its_handler() -> None:
    """Tests that only compare, or read runs of elsewhere, never load what agents run on."""
    program = "from otel_traj.testing import RunRecorder\nRunRecorder().clear()"
    assert list_imported(program) & (RECORDED_WITH | SENT_WITH) == set()


def test_nobody_is_warned_of_an_early_import(pytester: pytest.Pytester) -> None:
    """The package may have been imported before pytest started: no warning comes of it."""
    pytester.makepyfile("def test_plain(): pass")
    program = f"import otel_traj, pytest; raise SystemExit(pytest.main({['-W', 'error', *ALONE]!r}))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=pytester.path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_fixture_marker_and_options_are_listed(pytester: pytest.Pytester) -> None:
    """The help of pytest tells of them."""
    pytester.runpytest_inprocess(*ALONE, "--fixtures").stdout.fnmatch_lines(["run_recorder*"])
    pytester.runpytest_inprocess(*ALONE, "--markers").stdout.fnmatch_lines(
        ["@pytest.mark.otel_traj(reference=None): *"]
    )
    pytester.runpytest_inprocess(*ALONE, "--help").stdout.fnmatch_lines(
        [
            "agent trajectories:",
            "*--otel-traj-references=FILE*",
            "*--otel-traj-out=FILE*",
            "*otel_traj_references (string):*",
        ]
    )


def test_each_test_has_runs_of_its_own(project: pytest.Pytester) -> None:
    """Runs are recorded in memory, whole, for the test that made them alone, in whatever order tests run."""
    tests = """
    def test_long(run_recorder):
        ask(run_recorder)
        run_recorder.assert_matches(LONG)

    def test_short(run_recorder):
        assert run_recorder.runs == []
        ask(run_recorder, shortcut=True)
        assert run_recorder.run.steps[1:] == [["node1"], ["node2"], ["node7"]]

    @pytest.mark.parametrize("shortcut", [True, False])
    def test_no_callbacks(run_recorder, shortcut):
        run_recorder.instrument()
        graph.invoke({"shortcut": shortcut, "nodes": []})
        assert len(run_recorder.runs) == 1

    def test_none_after_them(run_recorder):
        graph.invoke({"shortcut": True, "nodes": []})
        assert run_recorder.runs == []
    """
    run(project, tests).assert_outcomes(passed=5)
    project.makeconftest("def pytest_collection_modifyitems(items):\n    items.reverse()")
    project.runpytest_inprocess(*ALONE).assert_outcomes(passed=5)


def test_the_tests_of_the_page_pass(project: pytest.Pytester) -> None:
    """The blocks of docs/pytest.md are tests, and run as such by the configuration that stands there."""
    page = Path(__file__).parent.parent / "docs" / "pytest.md"
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (configuration,) = (text for language, text in blocks if language == "ini")
    project.makeini(configuration)
    project.makepyfile(
        **{f"test_{at}": text for at, (language, text) in enumerate(blocks) if language == "python"}
    )
    project.runpytest_inprocess(*ALONE, "--strict-markers").assert_outcomes(passed=4)


def test_a_failed_assertion_shows_the_test_and_the_explanation(project: pytest.Pytester) -> None:
    """The message is the engine's, below the line of the test; nothing of this package stands in the traceback."""
    result = run(
        project,
        """
    def test_way(run_recorder):
        ask(run_recorder)
        run_recorder.assert_matches([*LONG[:2], ["node4"], *LONG[3:]])

    def test_ways(run_recorder):
        repeated = run_recorder.repeat(lambda: ask(run_recorder), times=2)
        repeated.assert_matches(LONG[:2])

    def test_nothing(run_recorder):
        run_recorder.assert_matches(LONG)
    """,
    )
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(
        [
            '>*run_recorder.assert_matches([[]*LONG[[]:2[]], [[]"node4"[]], [*]LONG[[]3:[]][]])',
            "E       AssertionError: FAIL graph_trajectory_match (strict, unordered): 1 edit, fitness 0.909",
            "E         superstep 3: expected {node4}, got {node4, node5}; extra node5",
            "E       AssertionError: FAIL 0 of 2 attempts passed, at least 2 wanted: 2 failed, 0 not evaluated",
            "E       otel_traj.errors.NotEvaluatedError: NOT EVALUATED no run was recorded; *",
        ]
    )
    assert "otel_traj/testing" not in result.stdout.str()


def test_a_marked_test_is_judged_by_references(project: pytest.Pytester) -> None:
    """By the one that is named or that applies, after the test itself passed; the reason alone is shown."""
    result = run(
        project,
        """
    @pytest.mark.otel_traj
    def test_chosen(run_recorder):
        ask(run_recorder, case="long")
        ask(run_recorder, shortcut=True, case="short")

    @pytest.mark.otel_traj(reference="long path")
    def test_named(run_recorder):
        ask(run_recorder)

    @pytest.mark.otel_traj
    def test_fails(run_recorder):
        ask(run_recorder, shortcut=True, case="long")

    @pytest.mark.otel_traj
    def test_not_evaluated(run_recorder):
        ask(run_recorder, case="lnog")

    @pytest.mark.otel_traj
    def test_no_run(run_recorder):
        pass

    @pytest.mark.otel_traj
    def test_fails_itself(run_recorder):
        ask(run_recorder, shortcut=True, case="long")
        raise ValueError("the test's own")

    @pytest.mark.otel_traj
    def test_skips(run_recorder):
        pytest.skip()

    @pytest.mark.xfail
    @pytest.mark.otel_traj
    def test_is_expected_to_fail(run_recorder):
        ask(run_recorder, shortcut=True, case="long")
    """,
    )
    result.assert_outcomes(passed=2, failed=4, skipped=1, xfailed=1)
    result.stdout.fnmatch_lines(
        [
            "*___ test_fails ___*",
            'FAIL graph_trajectory_match, reference "long path", graph seven, case long (strict, unordered): 5 edits*',
            "  superstep 2: expected {node3}, got {node2}; missing node3; extra node2",
            "*___ test_not_evaluated ___*",
            "NOT EVALUATED graph_trajectory_match",
            "  no reference applies to graph 'seven', case 'lnog'",
            "*___ test_no_run ___*",
            "NOT EVALUATED no run was recorded; *",
            "E   *ValueError: the test's own",
        ]
    )
    assert "otel_traj/pytest_plugin" not in result.stdout.str()


def test_a_misused_marker_is_an_error_of_its_test(project: pytest.Pytester) -> None:
    """A test that nothing could be judged by does not start; others do."""
    result = run(
        project,
        """
    @pytest.mark.otel_traj(reference="lnog path")
    def test_unknown(run_recorder): pass

    @pytest.mark.otel_traj(reference=["long path"])
    def test_type(run_recorder): pass

    @pytest.mark.otel_traj("long path", repeat=3)
    def test_arguments(run_recorder): pass

    @pytest.mark.otel_traj
    def test_fixture(): pass

    def test_other(): pass
    """,
    )
    result.assert_outcomes(passed=1, errors=4)
    result.stdout.fnmatch_lines(
        [
            "otel_traj: no reference is named 'lnog path'; there are 'long path', 'short path'",
            "otel_traj: a reference is named by a string, *",
            "otel_traj: the marker takes reference= alone, and was given 'long path', repeat",
            "otel_traj: the test is marked otel_traj and does not use the fixture run_recorder, *",
        ]
    )


def test_the_reference_file(project: pytest.Pytester) -> None:
    """The option wins over the configuration; its path is rootdir's; what is wrong with the file is said with place."""
    marked = """
    @pytest.mark.otel_traj
    def test_way(run_recorder):
        ask(run_recorder, case="long")
    """
    folder = project.mkdir("elsewhere")
    folder.joinpath("bad.yaml").write_text("version: 1\nreferences:\n  - nmae: x\n", "utf-8")
    option = "--otel-traj-references"
    run(project, marked).assert_outcomes(passed=1)
    run(project, marked, f"--rootdir={project.path}", option, "references.yaml").assert_outcomes(passed=1)
    bad = run(project, marked, option, "elsewhere/bad.yaml")
    bad.assert_outcomes(errors=1)
    bad.stdout.fnmatch_lines(["otel_traj: *bad.yaml:3:*"])
    run(project, marked, "-o", "otel_traj_references=").stdout.fnmatch_lines(
        ["otel_traj: there are no references to judge by; *--otel-traj-references FILE*"]
    )
    missing = run(project, marked, option, "elsewhere/none.yaml")
    assert missing.ret == pytest.ExitCode.USAGE_ERROR
    missing.stderr.fnmatch_lines(
        ["ERROR: otel_traj: the reference file *none.yaml' does not exist; *rootdir"]
    )


def test_verdicts_stand_in_junit_xml(project: pytest.Pytester) -> None:
    """Of each verdict: key, verdict, score, reference, run and trace; without a warning, in pytest's own form."""
    tests = """
    @pytest.mark.otel_traj
    def test_passes(run_recorder):
        ask(run_recorder, case="long")

    @pytest.mark.otel_traj
    def test_not_evaluated(run_recorder):
        ask(run_recorder)

    def test_fails(run_recorder):
        ask(run_recorder)
        run_recorder.assert_matches(LONG[:2], key="beginning")
    """
    run(project, tests, "--junitxml=report.xml", "-W", "error").assert_outcomes(passed=1, failed=2)
    path = project.path / "report.xml"
    passed = dict(read_properties(path, "test_passes"))
    assert {name: passed[f"otel_traj.{name}"] for name in ("key", "verdict", "score", "reference")} == {
        "key": "graph_trajectory_match",
        "verdict": "pass",
        "score": "True",
        "reference": "long path",
    }
    assert (len(passed["otel_traj.run_id"]), len(passed["otel_traj.trace_id"])) == (36, 32)
    missed = dict(read_properties(path, "test_not_evaluated"))
    assert missed["otel_traj.verdict"] == "not_evaluated"
    assert {"otel_traj.score", "otel_traj.reference"}.isdisjoint(missed)
    failed = dict(read_properties(path, "test_fails"))
    assert (failed["otel_traj.key"], failed["otel_traj.score"]) == ("beginning", "False")


def test_spans_are_kept_for_later(project: pytest.Pytester) -> None:
    """With --otel-traj-out the runs of all tests are in one file, which any command reads."""
    tests = """
    @pytest.mark.parametrize("case", ["long", "short"])
    def test_ask(run_recorder, case):
        ask(run_recorder, shortcut=case == "short", case=case)
    """
    run(project, tests, "--otel-traj-out", "out/traces.jsonl").assert_outcomes(passed=2)
    runs = list(read_runs(project.path / "out" / "traces.jsonl"))
    assert [(each.case, each.verified) for each in runs] == [("long", True), ("short", True)]


def test_it_can_be_left_out(pytester: pytest.Pytester) -> None:
    """Without the plugin neither the fixture nor the marker is there."""
    pytester.makepyfile("def test_way(run_recorder): pass")
    without = (*ALONE, "-p", "no:otel_traj")
    result = pytester.runpytest_inprocess(*without)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'run_recorder' not found"])
    assert "otel_traj" not in pytester.runpytest_inprocess(*without, "--markers").stdout.str()


def test_classes_of_unittest_can_use_it(project: pytest.Pytester) -> None:
    """Through a fixture that hands the recorder over, marker included."""
    run(
        project,
        """
    import unittest

    @pytest.mark.otel_traj(reference="long path")
    class TestAgent(unittest.TestCase):
        @pytest.fixture(autouse=True)
        def take(self, run_recorder):
            self.recorder = run_recorder

        def test_way(self):
            ask(self.recorder)

        def test_other_way(self):
            ask(self.recorder, shortcut=True)
    """,
    ).assert_outcomes(passed=1, failed=1)


def test_async_tests_of_anyio(project: pytest.Pytester) -> None:
    """A test that anyio runs records and is judged like any other."""
    run(
        project,
        """
    @pytest.fixture
    def anyio_backend():
        return "asyncio"

    @pytest.mark.anyio
    @pytest.mark.otel_traj(reference="long path")
    async def test_way(run_recorder):
        await graph.ainvoke({"shortcut": False, "nodes": []}, config={"callbacks": [run_recorder.handler]})

    @pytest.mark.anyio
    @pytest.mark.otel_traj(reference="short path")
    async def test_other_way(run_recorder):
        await graph.ainvoke({"shortcut": False, "nodes": []}, config={"callbacks": [run_recorder.handler]})
    """,
    ).assert_outcomes(passed=1, failed=1)


@needs("plugins of pytest")
def test_async_tests_in_several_processes(project: pytest.Pytester) -> None:
    """Beside pytest-asyncio and pytest-xdist: verdicts, misuse, properties and spans are those of one process."""
    project.makeini(
        "[pytest]\naddopts = --strict-markers\notel_traj_references = references.yaml\n"
        "asyncio_default_fixture_loop_scope = function\n"
    )
    tests = """
    @pytest.mark.asyncio
    @pytest.mark.otel_traj
    @pytest.mark.parametrize("case", ["long", "short"])
    async def test_way(run_recorder, case):
        config = {"callbacks": [run_recorder.handler], "metadata": {"case": case}}
        repeated = await run_recorder.repeat_async(
            lambda: graph.ainvoke({"shortcut": case == "short", "nodes": []}, config=config), times=2
        )
        repeated.assert_meets(at_least=2)

    @pytest.mark.otel_traj(reference="short path")
    def test_fails(run_recorder):
        ask(run_recorder)

    @pytest.mark.otel_traj(reference="shrt path")
    def test_misused(run_recorder):
        ask(run_recorder)
    """
    project.makepyfile(ASK + textwrap.dedent(tests))
    arguments = ("-n", "2", "--junitxml=report.xml", "--otel-traj-out=traces.jsonl")
    result = project.runpytest_subprocess(*arguments)
    result.assert_outcomes(passed=2, failed=1, errors=1)
    result.stdout.fnmatch_lines(['FAIL graph_trajectory_match, reference "short path", graph seven *'])
    result.stdout.fnmatch_lines(["otel_traj: no reference is named 'shrt path'; *"])
    words = [
        word
        for name, word in read_properties(project.path / "report.xml", "test_way[long]")
        if "verdict" in name
    ]
    assert words == ["pass"] * 4
    assert sum(each.verified for each in read_runs(project.path / "traces.jsonl")) == 5
