"""A chat model that answers from a script, so that agents run offline, the same way every time.

The sample agents and the tests use it where a user has a provider's model. It is a real `BaseChatModel`:
callbacks, streaming, bound tools and token usage are LangChain's own, only the answers are written down.
langchain-core has fake models too, but none of them takes tools and reports usage (seen with 1.8.3).

The module has no `from __future__ import annotations`: pydantic reads the annotations of the model's fields.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolCallChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

__all__ = ["ScriptedChat"]


class ScriptedChat(BaseChatModel):
    """A chat model that answers from a script: for demos and tests, without a provider.

    The first call after a message of the user gets the first turn, the next call (after the tools' results)
    the second, and so on; calls beyond the script get its last turn. The answer depends on the messages
    alone, so that one instance serves many threads at once. It answers at once, is called, awaited or
    streamed (one chunk per word and per tool call), and takes tools without looking at them.
    """

    turns: list[AIMessage]
    """What the model says, in order; at least one. Tool calls and token usage belong to the messages."""
    model_name: str = "scripted-1"
    """The name that callbacks and spans show."""

    @property
    def _llm_type(self) -> str:
        return "scripted-chat"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self.model_name}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: object,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Return the model with tools bound: they appear in what callbacks see, the script stays the same."""
        schemas = [convert_to_openai_tool(each) for each in tools]
        if tool_choice is not None:
            kwargs["tool_choice"] = tool_choice
        return self.bind(tools=schemas, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - part of BaseChatModel's interface
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - as above
        **kwargs: object,  # noqa: ARG002 - as above
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002 - as above
        **kwargs: object,
    ) -> ChatResult:
        return self._generate(messages, stop, None, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - part of BaseChatModel's interface
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - as above
        **kwargs: object,  # noqa: ARG002 - as above
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _split_message(self._answer(messages)):
            yield ChatGenerationChunk(message=chunk)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002 - as above
        **kwargs: object,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(messages, stop, None, **kwargs):
            yield chunk

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        """Return a fresh copy of the turn that is due (LangChain writes an id into what a model returns)."""
        answered = 0
        for message in reversed(messages):
            if isinstance(message, HumanMessage):
                break
            answered += isinstance(message, AIMessage)
        turn = self.turns[min(answered, len(self.turns) - 1)].model_copy(deep=True)
        reason = "tool_calls" if turn.tool_calls else "stop"
        turn.response_metadata = {
            "model_name": self.model_name,
            "finish_reason": reason,
            **turn.response_metadata,
        }
        return turn


def _split_message(message: AIMessage) -> Iterator[AIMessageChunk]:
    """Yield a message as a provider streams it: words, then tool calls, then usage and finish reason."""
    for word in re.findall(r"\S+\s*|\s+", str(message.content)):
        yield AIMessageChunk(content=word)
    for index, call in enumerate(message.tool_calls):
        arguments = json.dumps(call["args"])
        piece = ToolCallChunk(
            name=call["name"], args=arguments, id=call["id"], index=index, type="tool_call_chunk"
        )
        yield AIMessageChunk(content="", tool_call_chunks=[piece])
    yield AIMessageChunk(
        content="", usage_metadata=message.usage_metadata, response_metadata=message.response_metadata
    )
