"""Which emitter wrote a span, and what it says: the only place that knows all emitters.

A span's scope names its emitter. Where a store has lost the scope, or another release has renamed it, a key tells it that
no other emitter writes. One emitter is one module; what LangChain's callbacks have in common, whoever wrote them down, stands in `callback_run`,
`metadata`, `endings`, `messages` and `genai`, and `tree` makes facts of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from otel_traj.reconstruct.dialects.generic import read_generic
from otel_traj.reconstruct.dialects.langfuse import read_langfuse
from otel_traj.reconstruct.dialects.langsmith import read_langsmith
from otel_traj.reconstruct.dialects.mlflow import read_mlflow
from otel_traj.reconstruct.dialects.openinference import read_openinference
from otel_traj.reconstruct.dialects.openllmetry import read_openllmetry
from otel_traj.reconstruct.dialects.otel_genai import read_otel_genai
from otel_traj.reconstruct.dialects.own import read_own_fact

if TYPE_CHECKING:
    from collections.abc import Callable

    from otel_traj.model import Span
    from otel_traj.reconstruct.dialects.callback_run import CallbackRun
    from otel_traj.reconstruct.facts import Fact

    Reader: TypeAlias = Callable[[Span], CallbackRun | None]

__all__ = ["read_span"]

_READER_OF_SCOPE: Final[dict[str, Reader]] = {
    "openinference.instrumentation.langchain": read_openinference,
    "opentelemetry.instrumentation.langchain": read_openllmetry,
    "langsmith": read_langsmith,
    "mlflow.tracing.provider": read_mlflow,
    "langfuse-sdk": read_langfuse,
    "opentelemetry.instrumentation.genai.langchain": read_otel_genai,
}
_READER_OF_KEY: Final[dict[str, Reader]] = {
    "openinference.span.kind": read_openinference,
    "traceloop.entity.name": read_openllmetry,
    "traceloop.association.properties.ls_integration": read_openllmetry,
    "langsmith.span.kind": read_langsmith,
    "mlflow.spanType": read_mlflow,
    "langfuse.observation.type": read_langfuse,
}


def read_span(span: Span) -> Fact | CallbackRun | None:
    """Return what a span says.

    Args:
        span: Any span.

    Returns:
        A fact of our own recorder's span, a callback run of another emitter's, None for a span of anybody else.
    """
    fact = read_own_fact(span)
    if fact is not None:
        return fact
    reader = _READER_OF_SCOPE.get(span.scope_name)
    if reader is not None:
        return reader(span)
    reader = next((_READER_OF_KEY[key] for key in span.attributes if key in _READER_OF_KEY), None)
    if reader is None:
        return read_generic(span)
    run = reader(span)
    # Under another scope it may be a sibling's span, of a client library: a second one for the same model call.
    is_known = run is not None and (run.metadata.namespace or run.metadata.integration)
    return run if is_known or not span.scope_name else None
