"""Draw cases, install the other evaluators in an environment of their own, and keep what they say as a fixture."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.match.others import named
from tests.match.others.draw import draw_all

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).parents[3]
_FIXTURES = Path(__file__).parent / "verdicts"
_REQUIREMENTS = ("agentevals==0.0.9", "pydantic-evals")
_SEED = 20261130


def main() -> int:
    """Write the fixture, and its path on stdout."""
    drawn = list(draw_all(_SEED))
    pinned = list(_list_named())
    with TemporaryDirectory() as folder:
        python = _install(Path(folder))
        versions = _read_versions(python)
        answers = _ask(python, [(kind, case) for kind, _, case in pinned] + drawn)
    first, rest = answers[: len(pinned)], answers[len(pinned) :]
    fixture = {
        "note": "Cases drawn by tests/match/others; the answers are those of the evaluators named here (both MIT).",
        "date": datetime.now(UTC).date().isoformat(),
        "versions": versions,
        "seed": _SEED,
        "named": [
            [kind, name, case, answer] for (kind, name, case), answer in zip(pinned, first, strict=True)
        ],
        "random": [[kind, case, answer] for (kind, case), answer in zip(drawn, rest, strict=True)],
    }
    producers = "_".join(f"{name}-{versions[name]}" for name in ("agentevals", "pydantic-evals"))
    path = _FIXTURES / f"{producers}.json"
    path.parent.mkdir(exist_ok=True)
    for old in path.parent.glob("*.json"):
        old.unlink()
    path.write_text(_write(fixture), "utf-8")
    sys.stdout.write(f"{path}\n")
    return 0


def _list_named() -> Iterator[tuple[str, str, Any]]:
    for kind, cases in (
        ("graph", named.GRAPH),
        ("messages", named.MESSAGES),
        ("tools", named.TOOLS),
        ("arguments", named.ARGUMENTS),
    ):
        yield from ((kind, name, case) for name, case in cases.items())


def _install(folder: Path) -> Path:
    """Make an environment with the other evaluators, and return its Python.

    Not every Python can put pip into a new environment; the pip of this one fills it.
    """
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", *_REQUIREMENTS],
        check=True,
    )
    return python


def _read_versions(python: Path) -> dict[str, str]:
    names = ("agentevals", "pydantic-evals", "langchain-core")
    code = "import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"
    done = subprocess.run([python, "-c", code, *names], capture_output=True, check=True)
    versions: dict[str, str] = json.loads(done.stdout)
    return {**versions, "python": ".".join(map(str, sys.version_info[:3]))}


def _ask(python: Path, cases: list[tuple[str, Any]]) -> list[Any]:
    done = subprocess.run(
        [python, "-m", "tests.match.others.ask"],
        input=json.dumps(cases).encode(),
        stdout=subprocess.PIPE,
        cwd=_ROOT,
        env={**os.environ, "LANGSMITH_TRACING": "false"},
        check=True,
    )
    answers: list[Any] = json.loads(done.stdout)
    return answers


def _write(fixture: dict[str, Any]) -> str:
    """Return compact JSON with one case a line, so that a change shows which."""

    def compact(value: object) -> str:
        return json.dumps(value, separators=(",", ":"))

    fields = []
    for key, value in fixture.items():
        rows = ",\n".join(map(compact, value)) if isinstance(value, list) else ""
        fields.append(f"{compact(key)}:" + (f"[\n{rows}\n]" if rows else compact(value)))
    return "{\n" + ",\n".join(fields) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main())
