"""How the Jaeger of the tests is built: its own main package, pinned by a Go module of ours that holds nothing else.

v1.76.0 is the last release whose Go module holds Jaeger 2 (the same code as v2.13.0): later ones have tags that are no
module versions. Only a main module's replace directives count, and Jaeger has one, so it can't be named on the command
line alone; required by another module it builds without it.
"""

from __future__ import annotations

from pathlib import Path

from tests.backends.recipe import Recipe

__all__ = ["JAEGER"]

_FOLDER = Path(__file__).parent

JAEGER = Recipe(
    name="jaeger",
    version="v1.76.0",
    minutes="about 5 minutes",
    stem="jaeger",
    files=(_FOLDER / "go.mod", _FOLDER / "go.sum"),
    arguments=(
        "build",
        "-mod=readonly",
        "-trimpath",
        "-ldflags=-s -w",
        "-o=jaeger",
        "github.com/jaegertracing/jaeger/cmd/jaeger",
    ),
    output="jaeger",
    parts=frozenset(
        {
            ("exporters", "jaeger_storage_exporter"),
            ("extensions", "healthcheckv2"),
            ("extensions", "jaeger_query"),
            ("extensions", "jaeger_storage"),
            ("receivers", "otlp"),
        }
    ),
)
