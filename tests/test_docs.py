"""The pages in docs/ are true as far as a machine can see: their blocks load and run, their links lead somewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from otel_traj import TrajectoryCallbackHandler
from otel_traj import semconv as sc
from otel_traj.evaluate import load_references
from otel_traj.model import ProblemCode, Run
from otel_traj.record.sample_runs import record_sample_runs
from tests.deploying import list_programs
from tests.missing_api import needs

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


ELSEWHERE = {
    "# prices.yaml": "tests/report/test_prices.py loads it",
    "# agent-": "tests/collector/test_fragments.py runs them with a collector",
    # Programs that need one another, or a server; test_programs_are_run sees to that.
    **{f"# {name}\n": "a test of tests/record runs it" for name in list_programs()},
}
"""Blocks with a test of their own, by how they begin."""

NEEDS = {"opentelemetry.instrumentation": "instrumented servers and clients", "to_dataframe": "data frames"}
"""What a block that holds a word can't run without."""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The spans of the demo, which blocks find as `traces.jsonl`."""
    path = tmp_path_factory.mktemp("demo") / "traces.jsonl"
    record_sample_runs(path)
    return path


def find_blocks(language: str) -> list[object]:
    """Return the blocks of a language in all pages, each named after its page; not those that are tested elsewhere."""
    return [
        pytest.param(
            found[2],
            id=f"{page.stem}-{number}",
            marks=[needs(name) for word, name in NEEDS.items() if word in found[2]],
        )
        for page in PAGES
        for number, found in enumerate(BLOCK.finditer(page.read_text("utf-8")))
        if found[1] == language and not found[2].startswith(tuple(ELSEWHERE))
    ]


@pytest.mark.parametrize("block", find_blocks("yaml"))
def test_reference_files_load(block: str, tmp_path: Path) -> None:
    """Every reference file shown is valid."""
    path = tmp_path / "references.yaml"
    path.write_text(block, "utf-8")
    assert load_references(path)


@pytest.mark.parametrize("block", find_blocks("python"))
def test_python_blocks_run(block: str, tmp_path: Path, traces: Path) -> None:
    """Every Python block runs by itself, without a warning."""
    shutil.copy(traces, tmp_path)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", list_programs())
def test_programs_are_run(name: str) -> None:
    """A program of docs/deploying.md that is left out above is written into a folder, and run, by some test."""
    tests = [path.read_text("utf-8") for path in Path(__file__).parent.joinpath("record").glob("test_*.py")]
    assert any(f'"{name}"' in text and "write_program(" in text for text in tests)


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    """Each relative link leads to a file."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_what_is_listed_is_there() -> None:
    """The pages name every problem code and every option of the handler, and only fields that a run has."""
    reading, recording = (DOCS / name for name in ("reading.md", "recording.md"))
    text = reading.read_text("utf-8")
    assert [code for code in get_args(ProblemCode) if f"`{code}`" not in text] == []
    options = TrajectoryCallbackHandler.__init__.__kwdefaults__ or {}
    assert [name for name in options if f"`{name}`" not in recording.read_text("utf-8")] == []
    table = text.partition("| field | holds |")[2].partition("\n\n")[0]
    fields = [name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert set(fields) <= set(Run.__struct_fields__)


@pytest.mark.parametrize("name", ["by-hand.md", "stacks.md"])
def test_keys_that_are_named_are_written(name: str) -> None:
    """Every attribute of ours in a search, a list or a table is one that is written."""
    named = set(
        re.findall(
            r"(?<![\w/.])(?:langgraph|otel_traj)\.[a-z_][\w.]*[a-z0-9]", (DOCS / name).read_text("utf-8")
        )
    )
    written = {value for key in sc.__all__ if isinstance(value := getattr(sc, key), str)}
    assert named - written <= {"langgraph.json", f"{sc.METADATA_PREFIX}case"}
    assert len(named) > 10
