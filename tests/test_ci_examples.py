"""The workflows in examples/ci: what a forge takes, and what our own commands take."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from otel_traj.cli.program import make_parser
from tests.missing_api import needs
from tests.workflows import WORKFLOWS, copy_project, list_commands, list_steps, run_step

ROOT = Path(__file__).parent.parent
IDS = [path.stem for path in WORKFLOWS]
FILES = {"agent.py", "references.yaml", "collector-config.yaml"}
"""What the workflows find in the repository they are put into."""


@needs("schemas of workflow files")
def test_workflows_meet_the_published_schema() -> None:
    """Each is valid by GitHub's schema of workflow files."""
    words = ["-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run(
        [sys.executable, *words, *map(str, WORKFLOWS)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=IDS)
def test_our_commands_are_taken_as_they_stand(path: Path) -> None:
    """Every `otel-traj` line parses, and judges with every demand that keeps a gate from being green by chance."""
    parser, _ = make_parser()
    ours = [words[1:] for words in list_commands(path) if words[0] == "otel-traj"]
    for words in ours:
        assert parser.parse_known_args(words)[1] == []
    (judging,) = (words for words in ours if words[0] == "eval")
    assert "--require-all" in judging


@pytest.mark.parametrize("path", WORKFLOWS, ids=IDS)
def test_what_is_written_is_what_is_read(path: Path) -> None:
    """The summary shows the Markdown report, and every file that a command reads is there or was written before."""
    commands = list_commands(path)
    text = path.read_text("utf-8")
    (report,) = re.findall(r"--report markdown=(\S+)", text)
    assert ["cat", report, ">>", "$GITHUB_STEP_SUMMARY"] in commands
    (judging,) = (words for words in commands if words[:2] == ["otel-traj", "eval"])
    written = re.findall(r"--otel-traj-out (\S+)", text)
    assert judging[2] in ([*written] if written else ["traces"])
    assert judging[judging.index("--references") + 1] in FILES


@pytest.mark.parametrize("is_changed", [False, True], ids=["as it is", "changed"])
def test_the_workflow_of_tests_does_what_it_says(tmp_path: Path, is_changed: bool) -> None:
    """Run in the example project it is green; where the agent changes, tests and gate fail and the summary says why."""
    project = copy_project(tmp_path / "project")
    if is_changed:
        agent = project / "agent.py"
        changed = agent.read_text("utf-8").replace('["find_order", "find_policy"] if', '["find_order"] if')
        agent.write_text(changed, "utf-8")
    summary = tmp_path / "summary.md"
    (path,) = (path for path in WORKFLOWS if path.stem == "github-actions")
    steps = [step for step in list_steps(path) if step["name"] != "Install"]
    done = [run_step(step, project, {"GITHUB_STEP_SUMMARY": str(summary)}) for step in steps]
    assert [each.returncode for each in done] == ([1, 1, 0] if is_changed else [0, 0, 0]), done
    said = summary.read_text("utf-8")
    assert ("missing find_policy" in said) is is_changed
    assert "looks up order and policy" in said
    suite = ET.parse(project / "trajectories.xml").getroot().iter("testcase")  # noqa: S314 - ours
    failed = sum(case.find("failure") is not None for case in suite)
    assert failed == (12 if is_changed else 0)


def test_the_page_shows_the_same_commands() -> None:
    """docs/pytest.md and the workflow keep and judge the spans by the same options."""
    page = (ROOT / "docs" / "pytest.md").read_text("utf-8")
    assert "--otel-traj-out traces.jsonl" in page
    assert "examples/ci/" in page
