"""mlflow's autolog for LangChain: every value as JSON text, all metadata in one of them (seen with mlflow-tracing 3.17.2).

A limit on the length of values cuts the metadata. Its spans come from a tracer provider of its own, so they stand in
other traces than those of everything else in the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.reconstruct.content import decode_content
from otel_traj.reconstruct.dialects.callback_run import Call, CallbackRun, Kind, make_run
from otel_traj.reconstruct.dialects.messages import read_tool_calls, read_tool_names, step_into
from otel_traj.reconstruct.dialects.metadata import decode_metadata, read_metadata
from otel_traj.reconstruct.typed_attributes import read_int, read_str

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.model import AttributeValue, Span

__all__ = ["read_mlflow"]

_KINDS: Final[dict[str | None, Kind]] = {
    "CHAIN": "chain",
    "AGENT": "chain",
    "UNKNOWN": "chain",
    "CHAT_MODEL": "model",
    "LLM": "model",
    "TOOL": "tool",
    None: "chain",
}


def read_mlflow(span: Span) -> CallbackRun:
    """Return the callback run that a span of mlflow stands for."""
    attributes = span.attributes
    values, is_cut = decode_metadata(read_str(attributes, "metadata"))
    kind = _KINDS.get(_read_text(attributes, "mlflow.spanType"), "other")
    inputs, outputs = read_str(attributes, "mlflow.spanInputs"), read_str(attributes, "mlflow.spanOutputs")
    call = None
    if kind == "model":
        call = _read_model(attributes, outputs)
    elif kind == "tool":
        call = Call(name=span.name, call_id=_read_text(attributes, "tool_call_id"), arguments=inputs)
    metadata = read_metadata(values, "metadata", is_cut=is_cut)
    return make_run(span, "mlflow", kind, metadata, inputs=inputs, outputs=outputs, call=call)


def _read_value(attributes: Mapping[str, AttributeValue], key: str) -> AttributeValue:
    return decode_content(read_str(attributes, key))[0]


def _read_text(attributes: Mapping[str, AttributeValue], key: str) -> str | None:
    value = _read_value(attributes, key)
    return value if isinstance(value, str) and value else None


def _read_model(attributes: Mapping[str, AttributeValue], outputs: str | None) -> Call:
    counts = _read_value(attributes, "mlflow.chat.tokenUsage")
    usage = counts if isinstance(counts, dict) else {}
    choice = step_into(decode_content(outputs)[0], "choices", 0)
    message, finish = step_into(choice, "message"), step_into(choice, "finish_reason")
    return Call(
        name=_read_text(attributes, "mlflow.llm.model"),
        usage=(
            read_int(usage, "input_tokens"),
            read_int(usage, "output_tokens"),
            read_int(usage, "cache_read_input_tokens"),
            read_int(usage, "cache_creation_input_tokens"),
            None,
        ),
        finish_reasons=(finish,) if isinstance(finish, str) else (),
        tools=read_tool_names(step_into(_read_value(attributes, "invocation_params"), "tools")),
        chosen=None if message is None else read_tool_calls(step_into(message, "tool_calls")),
    )
