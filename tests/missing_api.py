"""What the oldest supported releases lack: the one list of what is skipped there, by name.

Nothing else may be skipped for a version: `test_missing_api.py` pins that on the oldest releases exactly these
names lack something, and on the newest ones none does.
"""

from __future__ import annotations

import inspect
import pkgutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MISSING_FROM_OLDEST", "list_missing", "needs"]

_CREATE_AGENT = ("langchain.agents.create_agent",)
_EVENTS = ("langgraph.callbacks.GraphCallbackHandler",)
_ERROR_HANDLERS = ("langgraph.graph.StateGraph.add_node(error_handler)",)
_TIMEOUTS = ("langgraph.graph.StateGraph.add_node(timeout)", "langgraph.errors.NodeTimeoutError")

MISSING_FROM_OLDEST: Mapping[str, tuple[str, ...]] = {
    "oracle 39: create_agent with middleware": _CREATE_AGENT,
    "oracle 40: create_agent, interrupted in a tool": _CREATE_AGENT,
    "oracle 42: node timeout": _TIMEOUTS,
    "oracle 43: error handler of a node": _ERROR_HANDLERS,
    "agent spans": _CREATE_AGENT,
    "deep agents": ("deepagents.create_deep_agent",),
    "spans of error handlers": _ERROR_HANDLERS,
    "resumed subgraph runs say so": _EVENTS,
    "answers streamed as events": ("langchain_core.callbacks.base.LLMManagerMixin.on_stream_event",),
    "streams of later versions": (
        "langgraph.pregel.Pregel.stream_events",
        "langgraph.pregel.Pregel.stream(version)",
    ),
    # Installed for the tests on the newest set only: its releases go with one SDK each.
    "opentelemetry-instrument": ("opentelemetry.instrumentation.auto_instrumentation.initialize",),
    "instrumented servers and clients": (
        "fastapi.FastAPI",
        "gunicorn.app.wsgiapp.run",
        "opentelemetry.instrumentation.fastapi.FastAPIInstrumentor",
        "opentelemetry.instrumentation.httpx.HTTPXClientInstrumentor",
        "opentelemetry.instrumentation.logging.LoggingInstrumentor",
        "uvicorn.run",
    ),
    # An extra, installed for the tests on the newest set only.
    "reports in colour": ("rich.console.Console",),
    "data frames": ("pandas.DataFrame",),
    "notebooks": ("IPython.core.interactiveshell.InteractiveShell",),
    # ... which brings this one along.
    "rendered Markdown": ("markdown_it.MarkdownIt",),
    # Installed for the tests on the newest set only, as they have nothing to do with any other release.
    "plugins of pytest": ("pytest_asyncio.fixture", "xdist.plugin.pytest_addoption"),
    "schemas of workflow files": ("check_jsonschema.main",),
    "JSON schemas": ("jsonschema.Draft202012Validator",),
    # The forks that it needs came with them.
    "histories of time travel that was broken off": _EVENTS,
}
"""By what is skipped: the API it needs, as dotted names, with `(argument)` where an argument is what may lack."""


def list_missing(name: str) -> list[str]:
    """Return the API of an entry that the installed versions lack; empty where it can run.

    Args:
        name: An entry, or the part before its colon. What is not in the list needs nothing special.
    """
    needed = next(
        (api for key, api in MISSING_FROM_OLDEST.items() if name in (key, key.partition(":")[0])), ()
    )
    return [api for api in needed if not _is_available(api)]


def needs(name: str) -> pytest.MarkDecorator:
    """Return the mark of a test that is skipped under this entry's name.

    Raises:
        ValueError: There is no such entry.
    """
    if name not in MISSING_FROM_OLDEST:
        raise ValueError(f"{name!r} is not in MISSING_FROM_OLDEST: add it, with the API that it needs")
    missing = list_missing(name)
    return pytest.mark.skipif(
        bool(missing), reason=f"{name}: the installed versions lack {', '.join(missing)}"
    )


def _is_available(api: str) -> bool:
    name, _, argument = api.removesuffix(")").partition("(")
    try:
        found = pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return not argument or argument in inspect.signature(found).parameters
