"""What is asked of Tempo's search, in TraceQL.

Unlike Jaeger's, its comparisons know types: a text that may stand for a number or a bool is asked for as each of
them. All comparisons inside one pair of braces hold for one span; between braces, `&&` joins what holds for one trace
(Tempo's documentation of TraceQL, 2026-08).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from otel_traj import semconv as sc
from otel_traj.sources.backend.written_numbers import may_be_float

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.model import AttributeValue
    from otel_traj.sources.protocol import SpanQuery

__all__ = ["make_traceql"]

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_LONGEST: Final = 200
_ANYTHING: Final = "{ }"
_NEWEST: Final = " with (most_recent=true)"


def make_traceql(query: SpanQuery, own: str | None, service: str | None) -> str:
    """Return the TraceQL that finds what is wanted, as far as it can say it.

    Args:
        query: What is wanted.
        own: The user's TraceQL; where it has a pipeline or hints nothing is added to it.
        service: `service.name` that the place's name asks for.
    """
    if own is not None and ("|" in own.replace("||", "") or re.search(r"\bwith\s*\(", own)):
        return own
    wanted = _list_conditions(query)
    if service or query.service:
        wanted.append(f"resource.service.name = {json.dumps(service or query.service, ensure_ascii=False)}")
    braces = f"{{ {' && '.join(wanted)} }}" if wanted else ""
    if own is not None:
        return f"({own}) && {braces}" if braces else own
    return (braces or _ANYTHING) + _NEWEST


def _list_conditions(query: SpanQuery) -> list[str]:
    if query.run is not None:
        return [_compare("span", sc.RUN_ID, query.run)]
    conditions = []
    if query.thread is not None:
        keys = (sc.THREAD_ID, sc.CONVERSATION_ID)
        conditions.append(_any(_compare("span", key, query.thread) for key in keys))
    if query.graph is not None:
        conditions.append(_compare("span", sc.GRAPH, query.graph))
    for key, value in query.attributes.items():
        literals = _list_literals(value)
        if literals:
            conditions.append(
                _any(
                    f"{scope}.{_quote_key(key)} = {literal}"
                    for scope in ("span", "resource")
                    for literal in literals
                )
            )
    return conditions


def _any(alternatives: Iterable[str]) -> str:
    texts = list(alternatives)
    return texts[0] if len(texts) == 1 else f"({' || '.join(texts)})"


def _compare(scope: str, key: str, text: str) -> str:
    return f"{scope}.{_quote_key(key)} = {json.dumps(text, ensure_ascii=False)}"


def _quote_key(key: str) -> str:
    return key if _PLAIN.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _list_literals(value: AttributeValue) -> list[str]:
    """Return what a value may stand for; empty where Tempo can't be asked for it exactly."""
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, int):
        return [str(value)] if _NUMBER.fullmatch(str(value)) else []
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        return []
    literals = [json.dumps(value, ensure_ascii=False)]
    if value.lower() in ("true", "false"):
        literals.append(value.lower())
    if _NUMBER.fullmatch(value):
        literals.append(value)
    # "0.5" may stand for a number that TraceQL writes in several ways.
    return [] if may_be_float(value) else literals
