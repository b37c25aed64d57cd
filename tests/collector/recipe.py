"""How the collector of the tests is built: by the ecosystem's own builder, from one manifest."""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.backends.recipe import Recipe
from tests.collector.parts import NEEDED_PARTS

__all__ = ["COLLECTOR", "MANIFEST"]

MANIFEST = Path(__file__).with_name("collector-builder.yaml")
"""The builder manifest."""

_DISTRIBUTION = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))["dist"]

COLLECTOR = Recipe(
    name="collector",
    version=_DISTRIBUTION["version"],
    minutes="2 to 4 minutes",
    stem="otelcol",
    files=(MANIFEST,),
    arguments=(
        "run",
        f"go.opentelemetry.io/collector/cmd/builder@v{_DISTRIBUTION['version']}",
        f"--config={MANIFEST.name}",
    ),
    output=f"{_DISTRIBUTION['output_path']}/{_DISTRIBUTION['name']}",
    parts=NEEDED_PARTS,
)
