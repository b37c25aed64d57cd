"""Places that spans are kept in, and the way from their bytes to `Span` records.

`open_source` finds the source that a name or an object means; `Source` says what every source promises. Removing
duplicates, and telling what the spans mean, are the work of `otel_traj.reconstruct`.
"""

from __future__ import annotations

from otel_traj.sources.backend.address import hide_user
from otel_traj.sources.files.overwriting import refuse_to_overwrite
from otel_traj.sources.files.same_file import is_same_file
from otel_traj.sources.kept import KeptSource
from otel_traj.sources.opening import describe_defaults, open_source
from otel_traj.sources.otlp.encoding import encode_lines
from otel_traj.sources.protocol import ALL_SPANS, Capabilities, OnProblem, Source, SpanQuery

__all__ = [
    "ALL_SPANS",
    "Capabilities",
    "KeptSource",
    "OnProblem",
    "Source",
    "SpanQuery",
    "describe_defaults",
    "encode_lines",
    "hide_user",
    "is_same_file",
    "open_source",
    "refuse_to_overwrite",
]
