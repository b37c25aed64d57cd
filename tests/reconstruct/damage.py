"""Damage to telemetry that loses no span: what redactions, limits, stores and clocks do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from otel_traj import semconv as sc

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Sequence

    from otel_traj.model import AttributeValue, Span

__all__ = ["DAMAGES", "RENAMINGS", "Damage", "drop_keys", "list_keys"]

Damage: TypeAlias = "Callable[[random.Random, list[Span]], list[Span]]"
"""Takes chance and spans, gives the damaged spans."""

HOUR_NS: Final = 3_600_000_000_000
MASKS: Final[tuple[AttributeValue, ...]] = ("****", "", "[REDACTED]", None, 0, [], {})
THREAD_KEYS: Final = frozenset({sc.THREAD_ID, sc.CONVERSATION_ID})
replace = msgspec.structs.replace


def list_keys(spans: Iterable[Span]) -> list[str]:
    """Return the attribute keys of spans, each once."""
    return sorted({key for span in spans for key in span.attributes})


def drop_keys(spans: Iterable[Span], keys: Iterable[str]) -> list[Span]:
    """Return spans without attributes of some keys."""
    dropped = set(keys)
    return [
        replace(span, attributes={key: value for key, value in span.attributes.items() if key not in dropped})
        for span in spans
    ]


def _map_values(span: Span, change: Callable[[str, AttributeValue], AttributeValue]) -> Span:
    return replace(span, attributes={key: change(key, value) for key, value in span.attributes.items()})


def drop_some_keys(chance: random.Random, spans: list[Span]) -> list[Span]:
    """Lose one to three keys, or all that begin alike: everywhere, in one trace, on one span or on half of them."""
    keys = list_keys(spans)
    prefix = chance.choice(["langgraph.", "otel_traj.", "gen_ai."])
    alike = [key for key in keys if key.startswith(prefix)]
    dropped = alike if chance.random() < 0.2 else chance.sample(keys, min(len(keys), chance.randint(1, 3)))
    one = chance.choice(spans)
    where = chance.choice(["everywhere", "trace", "span", "half"])
    return [
        drop_keys([span], dropped)[0]
        if where == "everywhere"
        or (where == "trace" and span.trace_id == one.trace_id)
        or (where == "span" and span is one)
        or (where == "half" and chance.random() < 0.5)
        else span
        for span in spans
    ]


def mask_a_key(chance: random.Random, spans: list[Span]) -> list[Span]:
    """Put the same mask in the place of every value of a key that matters to nobody's clock or counting."""
    keys = [key for key in list_keys(spans) if key not in (sc.STEP, sc.RESUMED)] or [sc.NODE]
    key, mask = chance.choice(keys), chance.choice(MASKS)
    return [_map_values(span, lambda name, value: mask if name == key else value) for span in spans]


def mask_threads(_: random.Random, spans: list[Span]) -> list[Span]:
    """Make every thread the same."""
    return [_map_values(span, lambda key, value: "****" if key in THREAD_KEYS else value) for span in spans]


def lose_threads(_: random.Random, spans: list[Span]) -> list[Span]:
    """Take every thread id away."""
    return drop_keys(spans, THREAD_KEYS)


def cut_texts(chance: random.Random, spans: list[Span]) -> list[Span]:
    """Cut values as a limit on their length does."""
    limit = chance.choice([16, 30, 36, 63, 64, 128, 256])

    def cut(_: str, value: AttributeValue) -> AttributeValue:
        if isinstance(value, list):
            return [item[:limit] if isinstance(item, str) else item for item in value]
        return value[:limit] if isinstance(value, str) else value

    return [_map_values(span, cut) for span in spans]


def write_all_as_text(_: random.Random, spans: list[Span]) -> list[Span]:
    """Turn numbers and bools into text, as stores with text columns do."""
    return [
        _map_values(span, lambda _, value: value if isinstance(value, str | list) else str(value))
        for span in spans
    ]


def reach_the_limit(chance: random.Random, spans: list[Span]) -> list[Span]:
    """Keep the newest attributes only, as the SDK does beyond its limit, and count the others."""
    limit = chance.choice([3, 6, 10, 14])
    return [
        replace(
            span,
            attributes=dict(list(span.attributes.items())[-limit:]),
            dropped_attributes=max(0, len(span.attributes) - limit),
        )
        for span in spans
    ]


def send_again(chance: random.Random, spans: list[Span]) -> list[Span]:
    """Deliver some spans twice, the copies open, damaged or as they were."""
    copies: list[Span] = []
    for span in spans:
        if chance.random() < 0.4:
            changes: dict[str, object] = chance.choice(
                [{}, {}, {"end_ns": 0}, {"attributes": {}}, {"name": "x"}, {"scope_name": ""}, {"kind": 3}]
            )
            copies.append(replace(span, **changes))
    return spans + copies


def leave_open(chance: random.Random, spans: list[Span]) -> list[Span]:
    """Take the end from some spans."""
    share = chance.choice([0.1, 0.5, 1])
    return [replace(span, end_ns=0) if chance.random() < share else span for span in spans]


def break_clocks(chance: random.Random, spans: list[Span]) -> list[Span]:
    """Set clocks to one time, to nothing, to the end of time, back before the start, or hours apart by trace."""
    skews: dict[str, int] = {}

    def skew(span: Span) -> Span:
        hours = skews.setdefault(span.trace_id, chance.randint(-2, 2)) * HOUR_NS
        return replace(span, start_ns=span.start_ns + hours, end_ns=span.end_ns + hours)

    how: Callable[[Span], Span] = chance.choice(
        [
            skew,
            lambda span: replace(span, start_ns=0),
            lambda span: replace(span, start_ns=5, end_ns=5),
            lambda span: replace(span, end_ns=1),
            lambda span: replace(span, start_ns=2**64 - 2, end_ns=2**64 - 1),
            lambda span: replace(span, start_ns=span.end_ns, end_ns=span.start_ns),
        ]
    )
    return [how(span) for span in spans]


def lose_links(_: random.Random, spans: list[Span]) -> list[Span]:
    """Drop links, as many stores do."""
    return [replace(span, links=()) for span in spans]


def lose_the_envelope(chance: random.Random, spans: list[Span]) -> list[Span]:
    """Drop scope or resource, of all spans or of half of them."""
    changes: dict[str, object] = chance.choice([{"scope_name": "", "scope_version": ""}, {"resource": {}}])
    share = 1.0 if "resource" in changes else chance.choice([0.5, 1])
    return [replace(span, **changes) if chance.random() < share else span for span in spans]


def change_parents(chance: random.Random, spans: list[Span]) -> list[Span]:
    """Give some spans no parent, themselves, another span of the source, or one that nobody knows."""
    share, how = chance.choice([0.1, 0.5, 1]), chance.choice(["none", "self", "other", "unknown"])

    def change(span: Span) -> Span:
        parents = {
            "none": "",
            "self": span.span_id,
            "other": chance.choice(spans).span_id,
            "unknown": f"{chance.randrange(1, 2**64):016x}",
        }
        return replace(span, parent_span_id=parents[how]) if chance.random() < share else span

    return [change(span) for span in spans]


def rename_spans(chance: random.Random, spans: list[Span]) -> list[Span]:
    """Give some spans another name."""
    share = chance.choice([0.2, 1])
    return [
        replace(span, name=chance.choice(["", "x", "POST /"])) if chance.random() < share else span
        for span in spans
    ]


DAMAGES: Final[tuple[Damage, ...]] = (
    drop_some_keys,
    mask_a_key,
    mask_threads,
    lose_threads,
    cut_texts,
    write_all_as_text,
    reach_the_limit,
    send_again,
    leave_open,
    break_clocks,
    lose_links,
    lose_the_envelope,
    change_parents,
    rename_spans,
)
"""All ways; any of them may follow any other."""


def put_into_one_trace(_: random.Random, spans: list[Span]) -> list[Span]:
    """Give every span the same trace id: several runs below one request."""
    return [
        replace(span, trace_id="a" * 32, links=tuple(replace(link, trace_id="a" * 32) for link in span.links))
        for span in spans
    ]


def count_span_ids(_: random.Random, spans: list[Span]) -> list[Span]:
    """Number the spans of each trace from 1, so that ids repeat over traces."""
    ids: dict[str, dict[str, str]] = {}

    def number(trace_id: str, span_id: str) -> str:
        known = ids.setdefault(trace_id, {})
        return known.setdefault(span_id, f"{len(known) + 1:016x}") if span_id else ""

    for span in sorted(spans, key=_sort_by_start):
        number(span.trace_id, span.span_id)
    return [
        replace(
            drop_keys([span], [sc.PREVIOUS_SPAN_ID])[0],
            span_id=number(span.trace_id, span.span_id),
            parent_span_id=number(span.trace_id, span.parent_span_id),
            links=tuple(replace(link, span_id=number(link.trace_id, link.span_id)) for link in span.links),
        )
        for span in spans
    ]


def hang_below_a_remote_parent(_: random.Random, spans: list[Span]) -> list[Span]:
    """Give each root a parent in another service, whose span is not there."""
    return [replace(span, parent_span_id=span.parent_span_id or "f" * 16) for span in spans]


def _sort_by_start(span: Span) -> tuple[str, int, str]:
    return span.trace_id, span.start_ns, span.span_id


RENAMINGS: Final[Sequence[Damage]] = (put_into_one_trace, count_span_ids, hang_below_a_remote_parent)
"""What changes ids and nothing that is true."""
