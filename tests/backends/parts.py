"""Ask a backend which parts it has: the collector, and Jaeger 2, which is a collector with parts of its own."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import yaml

from tests.backends.errors import BackendError

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet
    from pathlib import Path

__all__ = ["find_missing_parts", "list_parts"]


def list_parts(binary: Path) -> frozenset[tuple[str, str]]:
    """Ask a backend which parts it has.

    Args:
        binary: The executable.

    Returns:
        Pairs of kind (`receivers`, `providers`, ...) and configuration name.

    Raises:
        BackendError: The file can't be run, or does not answer as a collector does.
    """
    try:
        answer = subprocess.run([binary, "components"], capture_output=True, check=True, timeout=60).stdout
        document = yaml.safe_load(answer)
    except (OSError, subprocess.SubprocessError, yaml.YAMLError) as error:
        raise BackendError(f"{binary} does not run as an OpenTelemetry Collector ({error})") from error
    if not isinstance(document, dict):
        raise BackendError(f"{binary} does not answer `components` as an OpenTelemetry Collector does")
    return frozenset(
        (kind, part.get("name", part.get("scheme")))
        for kind, parts in document.items()
        if isinstance(parts, list)
        for part in parts
    )


def find_missing_parts(binary: Path, needed: AbstractSet[tuple[str, str]]) -> list[str]:
    """Say what a backend lacks.

    Args:
        binary: The executable.
        needed: Kind and configuration name of each part that it must have.

    Returns:
        Names of the parts that it has not, sorted; empty when it will do.

    Raises:
        BackendError: The file is not a collector.
    """
    return sorted(name for _, name in needed - list_parts(binary))
