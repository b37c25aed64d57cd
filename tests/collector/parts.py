"""What a collector must have built in to serve the tests.

The builder manifest is the one list of parts. A module path does not say what its part is called in a
configuration (`otlphttpexporter` is `otlp_http`), so the names stand here, and a test holds them against the
collector that was built from the manifest (`components` of collector 0.161.0).
"""

from __future__ import annotations

__all__ = ["NEEDED_PARTS"]

NEEDED_PARTS = frozenset(
    {
        ("connectors", "span_metrics"),
        ("exporters", "debug"),
        ("exporters", "file"),
        ("exporters", "otlp_grpc"),
        ("exporters", "otlp_http"),
        ("exporters", "prometheus"),
        ("extensions", "health_check"),
        ("processors", "attributes"),
        ("processors", "batch"),
        ("processors", "filter"),
        ("processors", "groupbytrace"),
        ("processors", "memory_limiter"),
        ("processors", "redaction"),
        ("processors", "tail_sampling"),
        ("processors", "transform"),
        ("providers", "env"),
        ("providers", "file"),
        ("providers", "yaml"),
        ("receivers", "otlp"),
    }
)
"""Kind and configuration name of every part; the newest names, so that older collectors are refused."""
