"""Which Jaeger the tests run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from tests.backends.errors import BackendError
from tests.jaeger.find import find_jaeger, require_jaeger
from tests.jaeger.recipe import JAEGER

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with an empty cache on which nothing is named or required."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("OTEL_TRAJ_JAEGER_BINARY", raising=False)
    monkeypatch.delenv("OTEL_TRAJ_REQUIRE_BACKENDS", raising=False)
    return tmp_path


def install(path: Path, *, without: str = "") -> Path:
    """Write a program that answers `components` as a Jaeger with the needed parts, or all but one, does."""
    parts: dict[str, list[dict[str, str]]] = {}
    for kind, name in sorted(JAEGER.parts):
        parts.setdefault(kind, [])
        if name != without:
            parts[kind].append({"name": name})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{yaml.safe_dump(parts)}END\n")
    path.chmod(0o755)
    return path


def test_named_jaeger_goes_before_the_built_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one in the cache is used unless another is named; one on the PATH is not."""
    install(folder / "bin" / "jaeger")
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:/usr/bin:/bin")
    assert find_jaeger() is None
    built = install(JAEGER.locate())
    assert find_jaeger() == built
    named = install(folder / "mine")
    monkeypatch.setenv("OTEL_TRAJ_JAEGER_BINARY", str(named))
    assert find_jaeger() == named


def test_named_jaeger_that_will_not_do_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The built one does not silently take the place of the one that was named."""
    install(JAEGER.locate())
    monkeypatch.setenv("OTEL_TRAJ_JAEGER_BINARY", str(install(folder / "mine", without="jaeger_query")))
    with pytest.raises(BackendError, match=r"OTEL_TRAJ_JAEGER_BINARY=.* lacks jaeger_query"):
        find_jaeger()


@pytest.mark.usefixtures("folder")
def test_without_a_jaeger_a_test_is_skipped_or_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no Jaeger the test is skipped with one line that says what to do; where one is required it fails."""
    with pytest.raises(pytest.skip.Exception) as skipped:
        require_jaeger()
    assert str(skipped.value) == "no real jaeger: run `make jaeger` (builds one with Go)"
    monkeypatch.setenv("OTEL_TRAJ_REQUIRE_BACKENDS", "1")
    with pytest.raises(pytest.fail.Exception, match="no real jaeger"):
        require_jaeger()
