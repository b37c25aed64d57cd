"""A search in the words of Jaeger's two HTTP APIs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from otel_traj.sources.times import format_time

if TYPE_CHECKING:
    from otel_traj.sources.backend.window import Window
    from otel_traj.sources.jaeger.search import Search

__all__ = ["make_legacy_parameters", "make_v3_parameters"]


def make_v3_parameters(search: Search, window: Window, size: int) -> list[tuple[str, str]]:
    """Return the parameters of `/api/v3/traces` and `/api/v3/trace-summaries`.

    The snake_case names are the ones that every release takes.

    Args:
        search: What for.
        window: When.
        size: How many at most.
    """
    parameters = [
        ("query.start_time_min", format_time(window.since_ns)),
        ("query.start_time_max", format_time(window.until_ns)),
        ("query.num_traces", str(size)),
        ("query.raw_traces", "true"),
    ]
    if search.service is not None:
        parameters.append(("query.service_name", search.service))
    if search.operation is not None:
        parameters.append(("query.operation_name", search.operation))
    if search.attributes:
        parameters.append(("query.attributes", json.dumps(search.attributes, ensure_ascii=False)))
    return parameters


def make_legacy_parameters(search: Search, window: Window, size: int) -> list[tuple[str, str]]:
    """Return the parameters of the legacy `/api/traces`; its times are microseconds, rounded outwards.

    Args:
        search: What for, with a service.
        window: When.
        size: How many at most.
    """
    parameters = [
        ("service", search.service or ""),
        ("start", str(window.since_ns // 1_000)),
        ("end", str(-(-window.until_ns // 1_000))),
        ("limit", str(size)),
        ("raw", "true"),
    ]
    if search.operation is not None:
        parameters.append(("operation", search.operation))
    if search.attributes:
        parameters.append(("tags", json.dumps(search.attributes, ensure_ascii=False)))
    return parameters
