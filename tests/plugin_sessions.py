"""Sessions of pytest with the plugin: a project whose tests can ask the sample agent, and what they leave behind.

Test modules import it before pytest takes it for a plugin, for the fixture: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ALONE", "ASK", "project", "read_properties", "run"]

ALONE = ("-p", "no:asyncio", "-p", "no:xdist", "-p", "no:cacheprovider")
ASK = """
import pytest
from otel_traj.record.samples import build_seven_nodes

graph = build_seven_nodes()
LONG = [["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]]

def ask(recorder, shortcut=False, case=None):
    config = {"callbacks": [recorder.handler], "metadata": {"case": case}}
    graph.invoke({"shortcut": shortcut, "nodes": []}, config=config)
"""
REFERENCES = """
version: 1
references:
  - {name: long path, applies_to: {case: long}, steps: [node1, node3, [node4, node5], node6, node7]}
  - {name: short path, applies_to: {case: short}, steps: [node1, node2, node7]}
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """Return a project with a reference file."""
    pytester.path.joinpath("references.yaml").write_text(REFERENCES, "utf-8")
    pytester.makeini(
        "[pytest]\naddopts = --strict-markers --strict-config\notel_traj_references = references.yaml\n"
    )
    return pytester


def run(project: pytest.Pytester, tests: str, *arguments: str) -> pytest.RunResult:
    """Run tests that can ask the agent, in this process and without other plugins."""
    project.makepyfile(ASK + textwrap.dedent(tests))
    return project.runpytest_inprocess(*ALONE, *arguments)


def read_properties(path: Path, test: str) -> list[tuple[str, str]]:
    """Return the properties that JUnit XML gives a test, in order."""
    case = ET.parse(path).find(f".//testcase[@name='{test}']")  # noqa: S314 - pytest wrote it
    assert case is not None
    return [(each.attrib["name"], each.attrib["value"]) for each in case.iterfind("properties/property")]
