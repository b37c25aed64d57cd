"""A real Jaeger for the tests in this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.backends.environment import plain_environment  # noqa: F401 - a fixture
from tests.backends.need import pytest_runtest_makereport  # noqa: F401 - a hook
from tests.jaeger.find import require_jaeger
from tests.jaeger.running import Jaeger, running_jaeger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def jaeger_binary() -> Path:
    """The executable of a Jaeger; the test is skipped where there is none."""
    return require_jaeger()


@pytest.fixture
def jaeger(tmp_path: Path, jaeger_binary: Path) -> Iterator[Jaeger]:
    """A Jaeger with an empty store that runs for the length of a test."""
    with running_jaeger(tmp_path, binary=jaeger_binary) as running:
        yield running
