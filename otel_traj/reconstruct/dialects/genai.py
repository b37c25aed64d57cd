"""Model calls in the attributes of the GenAI conventions, which several emitters share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.reconstruct.dialects.callback_run import Call
from otel_traj.reconstruct.dialects.messages import read_tool_names
from otel_traj.reconstruct.tool_choices import read_chosen_calls
from otel_traj.reconstruct.typed_attributes import read_int, read_name, read_str, read_str_tuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.model import AttributeValue

__all__ = ["read_genai_call"]


def read_genai_call(attributes: Mapping[str, AttributeValue]) -> Call:
    """Return what the GenAI attributes of a model or tool call say."""
    return Call(
        name=read_name(attributes, sc.TOOL_NAME)
        or read_name(attributes, sc.REQUEST_MODEL)
        or read_name(attributes, sc.RESPONSE_MODEL),
        call_id=read_str(attributes, sc.TOOL_CALL_ID),
        usage=(
            read_int(attributes, sc.USAGE_INPUT_TOKENS),
            read_int(attributes, sc.USAGE_OUTPUT_TOKENS),
            read_int(attributes, sc.USAGE_CACHE_READ_INPUT_TOKENS),
            read_int(attributes, sc.USAGE_CACHE_WRITE_INPUT_TOKENS),
            read_int(attributes, sc.USAGE_REASONING_OUTPUT_TOKENS),
        ),
        finish_reasons=read_str_tuple(attributes, sc.RESPONSE_FINISH_REASONS),
        arguments=read_str(attributes, sc.TOOL_CALL_ARGUMENTS),
        tools=read_tool_names(attributes.get(sc.TOOL_DEFINITIONS)),
        chosen=read_chosen_calls(attributes),
        input_messages=attributes.get(sc.INPUT_MESSAGES),
        output_messages=attributes.get(sc.OUTPUT_MESSAGES),
    )
