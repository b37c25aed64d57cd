"""Building each backend once, whatever else happens; a script stands for Go, so that builds can be cut short."""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.collector.recipe import COLLECTOR
from tests.jaeger.recipe import JAEGER

if TYPE_CHECKING:
    from tests.backends.recipe import Recipe

ROOT = Path(__file__).parents[2]
RECIPES = [COLLECTOR, JAEGER]

# Says that it has begun, waits until it is told how to end, and leaves half a binary unless told to finish.
GO = """#!/bin/sh
echo "$@" >> "$GO_FOLDER/calls"
ls >> "$GO_FOLDER/given"
mkdir -p "$(dirname "$OUTPUT")"
echo '#!/bin/sh' > "$OUTPUT"
chmod +x "$OUTPUT"
echo begun > "$GO_FOLDER/begun"
read ending < "$GO_FOLDER/ending"
if [ "$ending" = fail ]; then echo 'no such module' >&2; exit 1; fi
echo "cat $GO_FOLDER/parts.yaml" >> "$OUTPUT"
"""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Workshop:
    """A cache folder, a PATH and a Go of its own, for builds that a test steers."""

    folder: Path
    recipe: Recipe

    def start(self, **variables: str) -> subprocess.Popen[str]:
        """Start `python -m tests.collector`, or of the backend in hand, here."""
        own = {
            "GO_FOLDER": str(self.folder),
            "OTEL_TRAJ_COLLECTOR": "",
            "OTEL_TRAJ_JAEGER_BINARY": "",
            "OUTPUT": self.recipe.output,
            "PATH": str(self.folder / "bin"),
            "PYTHONPATH": str(ROOT),
            "XDG_CACHE_HOME": str(self.cache),
        }
        return subprocess.Popen(
            [sys.executable, "-m", f"tests.{self.recipe.name}"],
            env=os.environ | own | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def cache(self) -> Path:
        """The user's cache folder in this workshop."""
        return self.folder / "cache"

    def wait_until_begun(self) -> None:
        """Return once a build is under way."""
        assert (self.folder / "begun").read_text() == "begun\n"

    def end_build(self, how: str) -> None:
        """Let the build that is under way `finish` or `fail`."""
        (self.folder / "ending").write_text(f"{how}\n")

    def count_builds(self) -> int:
        """Return how many builds were ever begun."""
        return len((self.folder / "calls").read_text().splitlines())

    def list_binaries(self) -> list[str]:
        """Return what lies in the cache, logs and locks aside."""
        return sorted(
            path.name for path in (self.cache / "otel-traj").iterdir() if path.suffix not in {".log", ".lock"}
        )


@pytest.fixture(params=RECIPES, ids=[recipe.name for recipe in RECIPES])
def workshop(tmp_path: Path, request: pytest.FixtureRequest) -> Workshop:
    """A workshop with an empty cache."""
    (tmp_path / "bin").mkdir()
    for tool in ("cat", "chmod", "dirname", "ls", "mkdir"):
        (tmp_path / "bin" / tool).symlink_to(str(shutil.which(tool)))
    go = tmp_path / "bin" / "go"
    go.write_text(GO)
    go.chmod(0o755)
    recipe: Recipe = request.param
    parts = {kind: [{"name": name} for k, name in recipe.parts if k == kind] for kind, _ in recipe.parts}
    (tmp_path / "parts.yaml").write_text(yaml.safe_dump(parts))
    os.mkfifo(tmp_path / "begun")
    os.mkfifo(tmp_path / "ending")
    return Workshop(folder=tmp_path, recipe=recipe)


def test_backend_is_built_once(workshop: Workshop) -> None:
    """The first call builds from the recipe's files and prints the path; the second prints the same without Go."""
    first = workshop.start()
    workshop.wait_until_begun()
    workshop.end_build("finish")
    path, progress = first.communicate()
    assert first.returncode == 0
    assert "building" in progress
    given = (workshop.folder / "given").read_text().split()
    assert given == sorted(path.name for path in workshop.recipe.files)
    (workshop.folder / "bin" / "go").unlink()
    second = workshop.start()
    assert second.communicate() == (path, "")
    assert workshop.list_binaries() == [Path(path.strip()).name]


def test_two_processes_build_once(workshop: Workshop) -> None:
    """A second process waits for the first one's build and uses it."""
    first = workshop.start()
    workshop.wait_until_begun()
    second = workshop.start()
    assert second.stderr is not None
    assert "waiting" in second.stderr.readline()
    workshop.end_build("finish")
    assert first.communicate()[0] == second.communicate()[0] != ""
    assert workshop.count_builds() == 1


def test_failed_build_leaves_nothing(workshop: Workshop) -> None:
    """A build that fails says why in one line, and half a binary is never found."""
    failing = workshop.start()
    workshop.wait_until_begun()
    workshop.end_build("fail")
    path, complaint = failing.communicate()
    assert (failing.returncode, path) == (1, "")
    assert complaint.splitlines()[-1].startswith(
        f"{workshop.recipe.name}: Go could not build it (no such module)"
    )
    assert workshop.list_binaries() == []


def test_killed_build_blocks_nobody(workshop: Workshop) -> None:
    """What a killed build leaves is never used, holds up no later build, and is cleared away by it."""
    killed = workshop.start()
    workshop.wait_until_begun()
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    workshop.end_build("fail")
    assert [name for name in workshop.list_binaries() if "partial" not in name] == []

    later = workshop.start()
    workshop.wait_until_begun()
    workshop.end_build("finish")
    path, _ = later.communicate()
    assert workshop.list_binaries() == [Path(path.strip()).name]


def test_binary_without_a_needed_part_is_refused(workshop: Workshop) -> None:
    """A recipe that forgot a part is an error when it is built, not when a test needs the part."""
    (workshop.folder / "parts.yaml").write_text("receivers: [{name: otlp}]")
    building = workshop.start()
    workshop.wait_until_begun()
    workshop.end_build("finish")
    complaint = building.communicate()[1]
    assert building.returncode == 1
    assert "built without" in complaint
    assert all(name in complaint for kind, name in workshop.recipe.parts if kind != "receivers")
    assert workshop.list_binaries() == []


def test_missing_go_is_named(workshop: Workshop) -> None:
    """Without Go and without a backend the one line says so."""
    (workshop.folder / "bin" / "go").unlink()
    answer = workshop.start()
    path, complaint = answer.communicate()
    assert (answer.returncode, path, len(complaint.splitlines())) == (1, "", 1)
    assert complaint.startswith(f"{workshop.recipe.name}: Go is not on the PATH")


def test_unusable_cache_folder_is_named(workshop: Workshop) -> None:
    """A cache folder that can't be made is an error of one line."""
    workshop.cache.write_text("a file")
    answer = workshop.start()
    complaint = answer.communicate()[1]
    assert (answer.returncode, len(complaint.splitlines())) == (1, 1)
    assert complaint.startswith(f"{workshop.recipe.name}: the cache folder")


@pytest.mark.parametrize("recipe", RECIPES, ids=[recipe.name for recipe in RECIPES])
def test_another_text_is_another_binary(recipe: Recipe, tmp_path: Path) -> None:
    """The cached name follows the text of each file of the recipe."""
    for path in recipe.files:
        changed = tmp_path / path.name
        changed.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        files = tuple(changed if each == path else each for each in recipe.files)
        assert dataclasses.replace(recipe, files=files).locate() != recipe.locate()


@pytest.mark.parametrize("configured", ["", "relative/cache"])
def test_unusable_xdg_cache_home_is_ignored(configured: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty or relative XDG_CACHE_HOME means the default, as its specification says."""
    monkeypatch.setenv("XDG_CACHE_HOME", configured)
    assert COLLECTOR.locate().parent == Path.home() / ".cache" / "otel-traj"
