"""Which collector the tests run."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.backends.errors import BackendError
from tests.collector.find import find_collector, require_collector
from tests.collector.parts import NEEDED_PARTS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on the PATH of a machine with an empty cache."""
    (tmp_path / "cat").symlink_to(str(shutil.which("cat")))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("OTEL_TRAJ_COLLECTOR", raising=False)
    monkeypatch.delenv("OTEL_TRAJ_REQUIRE_BACKENDS", raising=False)
    return tmp_path


def install(path: Path, *, without: str = "") -> Path:
    """Write a program that answers `components` as a collector with the needed parts, or all but one, does."""
    parts: dict[str, list[dict[str, str]]] = {}
    for kind, name in sorted(NEEDED_PARTS):
        parts.setdefault(kind, [])
        if name != without:
            parts[kind].append({"scheme" if kind == "providers" else "name": name})
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{yaml.safe_dump(parts)}END\n")
    path.chmod(0o755)
    return path


def test_collector_on_the_path_is_used(folder: Path) -> None:
    """An installed collector comes first, the fuller distribution before the core one."""
    core = install(folder / "otelcol")
    assert find_collector() == core
    contrib = install(folder / "otelcol-contrib")
    assert find_collector() == contrib


def test_collector_without_a_needed_part_is_passed_over(folder: Path) -> None:
    """A collector that lacks a part is not used; the next one is."""
    install(folder / "otelcol-contrib", without="tail_sampling")
    assert find_collector() is None
    core = install(folder / "otelcol")
    assert find_collector() == core


def test_program_that_is_no_collector_is_passed_over(folder: Path) -> None:
    """Something else under the collector's name is not used."""
    program = folder / "otelcol"
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    assert find_collector() is None


def test_named_collector_is_the_only_candidate(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A collector named by the variable is used before those on the PATH."""
    install(folder / "otelcol")
    named = install(folder / "mine")
    monkeypatch.setenv("OTEL_TRAJ_COLLECTOR", str(named))
    assert find_collector() == named


@pytest.mark.parametrize(
    ("without", "name", "complaint"), [("file", "mine", "lacks file"), ("", "other", "not an executable")]
)
def test_named_collector_that_will_not_do_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, without: str, name: str, complaint: str
) -> None:
    """No other collector silently takes the place of the one that was named."""
    install(folder / "otelcol")
    install(folder / "mine", without=without)
    monkeypatch.setenv("OTEL_TRAJ_COLLECTOR", str(folder / name))
    with pytest.raises(BackendError, match=complaint):
        find_collector()


@pytest.mark.usefixtures("folder")
def test_test_without_a_collector_is_skipped() -> None:
    """Where there is no collector the test is skipped, and the reason says in one line how to get one."""
    with pytest.raises(pytest.skip.Exception) as caught:
        require_collector()
    assert "make collector" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("folder")
def test_required_collector_is_never_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a collector is required the test fails for want of one."""
    monkeypatch.setenv("OTEL_TRAJ_REQUIRE_BACKENDS", "1")
    with pytest.raises(pytest.fail.Exception, match="no real collector"):
        require_collector()
