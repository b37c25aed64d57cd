"""`collector-config.yaml`, held against a real collector."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.backends.parts import find_missing_parts
from tests.collector.parts import NEEDED_PARTS
from tests.collector.running import CONFIG

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.collector

EVERY_EXPORTER = "[file, otlp_grpc/jaeger, otlp_http/tempo]"


def validate(binary: Path, config: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Ask a collector what it thinks of a configuration, with these variables and no others of ours set."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    return subprocess.run(
        [binary, "validate", f"--config={config}"],
        env=inherited | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def edited_config(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The configuration with one text (which stands in it once) replaced by another."""
    before, after = request.param
    text = CONFIG.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path = tmp_path / "edited.yaml"
    path.write_text(text.replace(before, after), encoding="utf-8")
    return path


def test_config_is_valid_as_it_is(collector_binary: Path) -> None:
    """The collector accepts the configuration with no variable set."""
    answer = validate(collector_binary, CONFIG)
    assert (answer.returncode, answer.stderr) == (0, "")


def test_config_is_valid_with_backends_switched_on_by_variable(collector_binary: Path) -> None:
    """Jaeger and Tempo can be switched on as the comment says, without an edit."""
    answer = validate(collector_binary, CONFIG, OTEL_TRAJ_EXPORTERS=EVERY_EXPORTER)
    assert (answer.returncode, answer.stderr) == (0, "")


@pytest.mark.parametrize(
    "edited_config", [("${env:OTEL_TRAJ_EXPORTERS:-[file]}", EVERY_EXPORTER)], indirect=True, ids=["edited"]
)
def test_config_is_valid_with_backends_switched_on_by_edit(
    collector_binary: Path, edited_config: Path
) -> None:
    """Jaeger and Tempo can be switched on by writing their names into the pipeline."""
    answer = validate(collector_binary, edited_config)
    assert (answer.returncode, answer.stderr) == (0, "")


@pytest.mark.parametrize(
    ("edited_config", "complaint"),
    [
        (("  otlp_grpc/jaeger:", "  otlp_rgpc/jaeger:"), "otlp_rgpc"),
        (("    limit_mib: 512", "    limit_mib: 12"), "limit_mib"),
        (("      max_backups: 20\n\n  # Verdicts", "      max_backup: 20\n\n  # Verdicts"), "max_backup"),
        (
            ("[memory_limiter]\n      exporters: ${env:", "[memory_limit]\n      exporters: ${env:"),
            "memory_limit",
        ),
        (
            (
                "    path: ${env:OTEL_TRAJ_TRACES:-traces/traces.jsonl}\n    create_directory: true",
                "    path: ${env:OTEL_TRAJ_TRACES:-traces/traces.jsonl}\n    append: true",
            ),
            "append",
        ),
        (("      - name: langgraph.node", "      - nam: langgraph.node"), "nam"),
        (("      receivers: [span_metrics]", "      receivers: [spanmetric]"), "spanmetric"),
    ],
    indirect=["edited_config"],
    ids=["exporter", "limit", "rotation", "processor", "append", "dimension", "connector"],
)
def test_broken_config_is_refused(collector_binary: Path, edited_config: Path, complaint: str) -> None:
    """Validation is no formality: a wrong name or value anywhere is refused and named."""
    answer = validate(collector_binary, edited_config)
    assert answer.returncode != 0
    assert complaint in answer.stderr


def test_unknown_exporter_is_refused(collector_binary: Path) -> None:
    """A name that no exporter has can't be switched on."""
    answer = validate(collector_binary, CONFIG, OTEL_TRAJ_EXPORTERS="[file, jaeger]")
    assert answer.returncode != 0
    assert "jaeger" in answer.stderr


def test_needed_parts_cover_the_config() -> None:
    """A collector that has the needed parts has everything the configuration names."""
    document = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    named = {
        (kind, component.partition("/")[0])
        for kind in ("receivers", "processors", "exporters", "connectors", "extensions")
        for component in document[kind]
    }
    assert named <= NEEDED_PARTS


def test_collector_has_the_needed_parts(collector_binary: Path) -> None:
    """The collector under test, built from the manifest or installed, lacks nothing."""
    assert find_missing_parts(collector_binary, NEEDED_PARTS) == []


def test_listeners_stay_on_this_machine() -> None:
    """Unless a variable says otherwise, nothing listens on an outside address."""
    document = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    protocols = document["receivers"]["otlp"]["protocols"]
    endpoints = [protocol["endpoint"] for protocol in protocols.values()]
    endpoints.append(document["extensions"]["health_check"]["endpoint"])
    endpoints.append(document["exporters"]["prometheus"]["endpoint"])
    assert [endpoint.partition(":-")[2].partition(":")[0] for endpoint in endpoints] == ["127.0.0.1"] * 4
    (reader,) = document["service"]["telemetry"]["metrics"]["readers"]
    assert reader["pull"]["exporter"]["prometheus"]["host"].endswith(":-127.0.0.1}")


def test_every_variable_is_listed() -> None:
    """The page on the collector lists the configuration's variables with their defaults, and no others."""
    config = CONFIG.read_text(encoding="utf-8")
    read = dict(re.findall(r"\$\{env:(\w+):-([^}]*)\}", config))
    page = (CONFIG.parent / "docs" / "collector.md").read_text(encoding="utf-8")
    table = page.partition("| variable |")[2].partition("\n\n")[0]
    rows = [row.split("|")[1:3] for row in table.splitlines()[2:]]
    cells = [[re.findall("`([^`]+)`", cell) for cell in row] for row in rows]
    listed = {name: value for names, values in cells for name, value in zip(names, values, strict=True)}
    assert listed == read
