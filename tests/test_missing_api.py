"""The supported releases: which are tested, and what the oldest of them lack."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.missing_api import MISSING_FROM_OLDEST, list_missing, needs
from tests.oracles import ALL

ROOT = Path(__file__).parent.parent
REQUIREMENTS = [
    Requirement(line)
    for line in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
]
OWN_CHECKS = re.compile(
    r"importorskip\(.(lang|opentelemetry)|importlib\.metadata import version|packaging\.version"
)
"""How a test would ask for versions without the list."""


def read_pins(name: str) -> dict[str, Version]:
    """Return the pinned versions of a set by lower-case name."""
    lines = (ROOT / "tests" / "constraints" / f"{name}.txt").read_text("utf-8").splitlines()
    pins = (line.partition("==") for line in lines if not line.startswith("#"))
    return {package.lower(): Version(pinned) for package, _, pinned in pins}


def is_installed(name: str) -> bool:
    """Whether what this package depends on is installed as a set pins it."""
    pins = read_pins(name)
    return all(Version(version(each.name)) == pins[each.name] for each in REQUIREMENTS)


def test_the_oldest_set_is_the_lower_bounds() -> None:
    """`oldest.txt` pins each dependency to exactly the bound that pyproject.toml promises."""
    pins = read_pins("oldest")
    for requirement in REQUIREMENTS:
        (bound,) = requirement.specifier
        assert (requirement.name, bound.operator) == (requirement.name, ">=")
        assert (requirement.name, pins[requirement.name]) == (requirement.name, Version(bound.version))


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=[each.name for each in REQUIREMENTS])
def test_the_page_names_the_tested_releases(requirement: Requirement) -> None:
    """The table of docs/versions.md holds the pins of both sets."""
    page = (ROOT / "docs" / "versions.md").read_text("utf-8")
    package = "opentelemetry-api" if requirement.name.startswith("opentelemetry-") else requirement.name
    row = next(line for line in page.splitlines() if line.lower().startswith(f"| {package}"))
    pins = (str(read_pins(name)[requirement.name]) for name in ("oldest", "newest"))
    assert [cell.strip() for cell in row.split("|")[2:4]] == list(pins)


def test_exactly_what_the_oldest_releases_lack_is_skipped() -> None:
    """Each entry lacks something on the oldest set, none does on the newest; other sets lie in between."""
    lacking = {name for name in MISSING_FROM_OLDEST if list_missing(name)}
    if is_installed("oldest"):
        assert lacking == set(MISSING_FROM_OLDEST)
    if is_installed("newest"):
        assert lacking == set()


def test_oracles_take_what_they_need_from_the_list() -> None:
    """The oracles in the list are there, and no other oracle is ever skipped."""
    listed = {name.partition(":")[0] for name in MISSING_FROM_OLDEST if name.startswith("oracle ")}
    assert listed <= {f"oracle {scenario.number}" for scenario in ALL}
    assert {f"oracle {scenario.number}" for scenario in ALL if scenario.missing} <= listed


def test_every_other_entry_is_some_tests() -> None:
    """An entry that no test needs is no entry."""
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    others = [name for name in MISSING_FROM_OLDEST if not name.startswith("oracle ")]
    uses = ('needs("{}")', 'list_missing("{}")')
    assert [name for name in others if not any(use.format(name) in tests for use in uses)] == []


def test_no_test_asks_for_versions_by_itself() -> None:
    """What is skipped for a version is skipped through the list."""
    paths = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    assert [path.name for path in paths if OWN_CHECKS.search(path.read_text("utf-8"))] == []


def test_an_unknown_name_is_refused() -> None:
    """A test can't be skipped under a name that the list does not hold."""
    with pytest.raises(ValueError, match="MISSING_FROM_OLDEST"):
        needs("nothing of the kind")
