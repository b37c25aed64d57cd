"""README is true: every block is run, in order, in one folder.

Where it names the Jaeger of the reader's machine, a stand-in for one answers that holds the spans of the file; the
same commands on a real one are in `tests/jaeger/test_commands.py`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copy

from otel_traj.sources import open_source
from tests.sources.jaeger.stand_in import JaegerStandIn
from tests.sources.serving import serve

ROOT = Path(__file__).parent.parent
JAEGER = "localhost:16686"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read_blocks() -> list[tuple[str, str]]:
    """Return (language, text) of each block, in order."""
    return [(found[1], found[2]) for found in BLOCK.finditer((ROOT / "README.md").read_text("utf-8"))]


def run_shell(block: str, folder: Path) -> str:
    """Run each line of a block; the set-up commands run in the checkout, as a dry run."""
    scripts = str(Path(sys.executable).parent)
    environment = os.environ | {"PATH": scripts + os.pathsep + os.environ["PATH"], "NO_COLOR": "1"}
    printed = ""
    for line in block.strip().splitlines():
        is_setup = line.startswith("make ")
        command = f"{line} --dry-run" if is_setup else line
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=ROOT if is_setup else folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        printed += done.stdout
    return printed


def run_places(block: str, folder: Path) -> str:
    """Run the lines of a block that name places in which the spans of `traces.jsonl` are kept."""
    kept = folder / "traces"
    kept.mkdir(exist_ok=True)
    copy(folder / "traces.jsonl", kept)
    with serve(JaegerStandIn(open_source(folder / "traces.jsonl").read_spans(print))) as jaeger:
        printed = run_shell(block.replace(JAEGER, jaeger.place), folder)
        assert bool(jaeger.requests) is (JAEGER in block)
    return printed


def test_every_block_of_readme_runs(tmp_path: Path) -> None:
    """Python blocks run as one program, files are written under the name in their first line, commands succeed.

    A stand-in for Jaeger answers in place of the reader's own.
    """
    printed, python = "", ""
    for language, block in read_blocks():
        if language == "python":
            python += block
        elif language == "yaml":
            name = block.partition("\n")[0].removeprefix("# ")
            (tmp_path / name).write_text(block, "utf-8")
        elif language == "sh":
            printed += (
                run_python(python, tmp_path) if python and not (tmp_path / "traces.jsonl").exists() else ""
            )
            run = run_places if (tmp_path / "traces.jsonl").exists() else run_shell
            printed += run(block, tmp_path)
        else:
            assert language == "text"
    (tmp_path / "traces.jsonl").unlink()
    printed += run_python(python, tmp_path)
    assert "superstep 2: expected {search_web}, got {search_files, search_web}; extra search_files" in printed
    assert "research" in printed


def run_python(program: str, folder: Path) -> str:
    """Run the blocks so far in a process of their own, warnings as errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_each_command_is_shown_on_each_place() -> None:
    """A backend, a directory and standard input each have a line for `show`, `eval` and `doctor`."""
    lines = [line for language, block in read_blocks() if language == "sh" for line in block.splitlines()]
    for place in (f'"jaeger+http://{JAEGER}?service=', "traces/", "-"):
        shown = [
            line.split()[1]
            for line in lines
            if line.startswith("otel-traj ") and line.split()[2].startswith(place)
        ]
        assert sorted(shown) == ["doctor", "eval", "show"], place


def test_readme_links_to_what_is_there() -> None:
    """Each relative link of README leads to a file or folder of the project."""
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert links
    assert [link for link in links if not (ROOT / link.partition("#")[0]).exists()] == []
