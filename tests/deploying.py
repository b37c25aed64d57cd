"""The programs of docs/deploying.md: each block whose first line is `# name.py` is a file, which tests run as it is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["NAMED_BLOCK", "SECONDS", "list_programs", "make_environment", "run_program", "write_program"]

NAMED_BLOCK = re.compile(r"# (\w+\.py)\n")
"""How the block of a program begins."""

PAGE = Path(__file__).parent.parent / "docs" / "deploying.md"
SECONDS = 120
"""The longest wait for a program, or for a server to answer."""


def list_programs() -> dict[str, str]:
    """Return the text of each program by its file name."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return {named[1]: block for block in blocks if (named := NAMED_BLOCK.match(block))}


def write_program(folder: Path, name: str, *, replace: Mapping[str, str] | None = None) -> Path:
    """Write a program of the page into a folder.

    Args:
        folder: Where to.
        name: Its file name.
        replace: What to put for parts of its text, each of which stands there once.

    Returns:
        Its path.
    """
    text = list_programs()[name]
    for part, other in (replace or {}).items():
        assert text.count(part) == 1, (name, part)
        text = text.replace(part, other)
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def make_environment(folder: Path, **variables: str) -> dict[str, str]:
    """Return this process's environment without its settings of OpenTelemetry and of proxies, and with others."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("OTEL_") and not name.lower().endswith("_proxy")
    }
    # The folder is on the path for those who were told not to trust it (PYTHONSAFEPATH).
    return kept | {"PYTHONPATH": os.fspath(folder), "LANGSMITH_TRACING": "false"} | variables


def run_program(path: Path, *arguments: str, **variables: str) -> str:
    """Run a program to its end, in its folder; return what it printed, and nothing to stderr."""
    done = subprocess.run(
        [sys.executable, "-W", "error", os.fspath(path), *arguments],
        cwd=path.parent,
        env=make_environment(path.parent, **variables),
        check=False,
        timeout=SECONDS,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
