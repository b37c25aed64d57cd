"""What a collector must have built in to serve the tests, and what a given one has.

The builder manifest is the one list of parts. A module path does not say what its part is called in a
configuration (`otlphttpexporter` is `otlp_http`), so the names stand here, and a test holds them against the
collector that was built from the manifest (`components` of collector 0.161.0).
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import yaml

from tests.collector.errors import CollectorError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["NEEDED_PARTS", "find_missing_parts", "list_parts"]

NEEDED_PARTS = frozenset(
    {
        ("connectors", "span_metrics"),
        ("exporters", "debug"),
        ("exporters", "file"),
        ("exporters", "otlp_grpc"),
        ("exporters", "otlp_http"),
        ("extensions", "health_check"),
        ("processors", "batch"),
        ("processors", "memory_limiter"),
        ("processors", "redaction"),
        ("processors", "tail_sampling"),
        ("providers", "env"),
        ("providers", "file"),
        ("providers", "yaml"),
        ("receivers", "otlp"),
    }
)
"""Kind and configuration name of every part; the newest names, so that older collectors are refused."""


def list_parts(binary: Path) -> frozenset[tuple[str, str]]:
    """Ask a collector which parts it has.

    Args:
        binary: The collector's executable.

    Returns:
        Pairs of kind (`receivers`, `providers`, ...) and configuration name.

    Raises:
        CollectorError: The file can't be run, or does not answer as a collector does.
    """
    try:
        answer = subprocess.run([binary, "components"], capture_output=True, check=True, timeout=60).stdout
        document = yaml.safe_load(answer)
    except (OSError, subprocess.SubprocessError, yaml.YAMLError) as error:
        raise CollectorError(f"{binary} does not run as an OpenTelemetry Collector ({error})") from error
    if not isinstance(document, dict):
        raise CollectorError(f"{binary} does not answer `components` as an OpenTelemetry Collector does")
    return frozenset(
        (kind, part.get("name", part.get("scheme")))
        for kind, parts in document.items()
        if isinstance(parts, list)
        for part in parts
    )


def find_missing_parts(binary: Path) -> list[str]:
    """Say what a collector lacks.

    Args:
        binary: The collector's executable.

    Returns:
        Names of the parts that the tests need and the collector has not, sorted; empty when it will do.

    Raises:
        CollectorError: The file is not a collector.
    """
    return sorted(name for _, name in NEEDED_PARTS - list_parts(binary))
