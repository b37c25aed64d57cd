"""What is asked of Jaeger's search: the parameters of its name and the query, as far as Jaeger can apply them.

All attributes of a search must stand on one span (of its resource, scope or events, too), compared by their written
form. So what the graph-run span holds is asked for together, and not together with what the user names of another
span. What Jaeger can't compare so (floats and texts that may stand for one, long texts) is left to whoever reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, structs

from otel_traj import semconv as sc
from otel_traj.sources.backend.written_numbers import may_be_float

if TYPE_CHECKING:
    from otel_traj.sources.backend.address import Address
    from otel_traj.sources.protocol import SpanQuery

__all__ = ["Search", "list_searches"]

_LONGEST: Final = 200
# To Jaeger these words are questions about the span, not attributes.
_SPECIAL: Final = frozenset(
    {"error", "span.kind", "span.status", "scope.name", "scope.version", sc.SERVICE_NAME}
)


class Search(Struct, frozen=True, kw_only=True):
    """One question; all that is given must hold on one span."""

    service: str | None = None
    operation: str | None = None
    attributes: dict[str, str] = {}

    def in_service(self, service: str) -> Search:
        """Return the same question about one service."""
        return structs.replace(self, service=service)


def list_searches(address: Address, query: SpanQuery) -> list[Search]:
    """Return the questions whose answers together hold what is wanted.

    Args:
        address: Its `service`, `operation` and `tag` hold unless the query completes runs.
        query: What is wanted.

    Raises:
        SourceError: A `tag` of the name is no `key=value`.
    """
    service = query.service if query.completes else address.get("service") or query.service
    operation = None if query.completes else address.get("operation")
    tags = {} if query.completes else _read_tags(address)
    if operation is not None or tags:
        return [Search(service=service, operation=operation, attributes=tags)]
    if query.run is not None:
        return [Search(service=service, attributes={sc.RUN_ID: query.run})]
    attributes = _list_attributes(query)
    if query.thread is None:
        return [Search(service=service, attributes=attributes)]
    return [
        Search(service=service, attributes={key: query.thread, **attributes})
        for key in (sc.THREAD_ID, sc.CONVERSATION_ID)
    ]


def _list_attributes(query: SpanQuery) -> dict[str, str]:
    attributes = {} if query.graph is None else {sc.GRAPH: query.graph}
    for key, value in query.attributes.items():
        if isinstance(value, bool):
            text = str(value).lower()
        elif isinstance(value, int | str):
            text = str(value)
        else:
            continue
        # Whoever reads takes "True" for true, Jaeger does not.
        is_shouted = text != text.lower() and text.lower() in ("true", "false")
        if key not in _SPECIAL and 0 < len(text) <= _LONGEST and not is_shouted and not may_be_float(text):
            attributes[key] = text
    return attributes


def _read_tags(address: Address) -> dict[str, str]:
    tags = {}
    for text in address.get_all("tag"):
        key, separator, value = text.partition("=")
        if not separator or not key:
            raise address.refuse(f"tag={text!r} is no key=value; write tag=key=value")
        tags[key] = value
    return tags
