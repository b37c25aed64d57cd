"""What of a recording may be lost on its way, and what is then true."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import msgspec
from hypothesis import strategies as st

from otel_traj import read_runs
from otel_traj import semconv as sc
from otel_traj.model import NAMED_ONLY

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from otel_traj import Run
    from otel_traj.model import AttributeValue, SourceProblem, Span

__all__ = ["Loss", "Truth", "cut_values", "find_lie", "losses", "read_quietly", "take_away"]

Lost: TypeAlias = Literal[
    "one", "some", "most", "batch", "prefix", "suffix", "superstep", "service", "call", "kind", "node"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A way to lose spans."""

    lost: Lost
    seed: int

    @staticmethod
    def kinds() -> tuple[Lost, ...]:
        """Return all ways, each by its name."""
        return get_args(Lost)


losses = st.builds(Loss, lost=st.sampled_from(Loss.kinds()), seed=st.integers(0, 2**16))
"""Any way to lose spans."""


def take_away(spans: Sequence[Span], loss: Loss, *, never_whole: Collection[str] = ()) -> list[Span]:
    """Return the spans that are left, in their order.

    Args:
        spans: Spans of a recording.
        loss: What is lost.
        never_whole: Traces of which one span is left, whatever is lost.
    """
    chance = random.Random(loss.seed)
    one, two = sorted((chance.randrange(len(spans)), chance.randrange(len(spans))))
    chosen = spans[chance.randrange(len(spans))]
    share = {"some": 0.2, "most": 0.8}.get(loss.lost, 0)
    left = []
    for number, span in enumerate(spans):
        is_lost = {
            "one": span is chosen,
            "some": chance.random() < share,
            "most": chance.random() < share,
            "batch": one <= number <= two,
            "prefix": number <= two,
            "suffix": number >= one,
            "superstep": _read(span, sc.RUN_ID, sc.STEP) == _read(chosen, sc.RUN_ID, sc.STEP),
            "service": span.resource == chosen.resource,
            "call": span.trace_id == chosen.trace_id,
            "kind": _read(span, sc.OPERATION_NAME) == _read(chosen, sc.OPERATION_NAME),
            "node": _read(span, sc.NODE) == _read(chosen, sc.NODE),
        }[loss.lost]
        if not is_lost:
            left.append(span)
    saved = _save_one(spans, left, never_whole, chance)
    return [span for span in spans if span in saved] if saved else left


def _save_one(
    spans: Sequence[Span], left: Sequence[Span], never_whole: Collection[str], chance: random.Random
) -> list[Span]:
    """Return the spans that are left with one more of each trace that must not be lost whole."""
    lost = sorted(set(never_whole) - {span.trace_id for span in left})
    return [*left, *(chance.choice([span for span in spans if span.trace_id == trace]) for trace in lost)]


def cut_values(span: Span, limit: int) -> Span:
    """Return a span of whose texts a store kept so many bytes each."""
    attributes = {key: _cut(value, limit) for key, value in span.attributes.items()}
    return msgspec.structs.replace(span, attributes=attributes)


def _cut(value: AttributeValue, limit: int) -> AttributeValue:
    if isinstance(value, list):
        return [_cut(item, limit) for item in value]
    return value.encode()[:limit].decode(errors="ignore") if isinstance(value, str) else value


def _read(span: Span, *keys: str) -> list[object]:
    return [span.attributes.get(key) for key in keys]


def read_quietly(spans: Iterable[Span]) -> list[Run]:
    """Return the runs of spans that may be none at all."""
    return list(read_runs(spans, on_problem=_ignore))


def _ignore(_: SourceProblem) -> None:
    pass


class Truth:
    """What is true of a recording of which whole calls may be lost.

    It is read from the same spans with one service's name on all, which the law of histories proves.
    Where the last calls of a thread are lost to their last span, nobody can know that there were any: the truth
    is then that of the calls before.
    """

    def __init__(self, spans: Sequence[Span]) -> None:
        """Note which calls a thread had."""
        self._spans = [msgspec.structs.replace(span, resource={}) for span in spans]
        self.calls: list[str] = [span.trace_id for span in spans if not span.parent_span_id]
        """Trace of each call, in their order: a call's root ends before the next one begins."""
        self._calls_of_thread: dict[object, list[str]] = {}
        for span in spans:
            if not span.parent_span_id:
                calls = self._calls_of_thread.setdefault(span.attributes[sc.THREAD_ID], [])
                calls.append(span.trace_id)
        self._told: dict[frozenset[str], dict[str, list[list[str]]]] = {}

    def tell(self, left: Iterable[Span]) -> dict[str, list[list[str]]]:
        """Return the true supersteps by run id, of subgraph runs too, as far as they can be known."""
        seen = {span.trace_id for span in left}
        known: set[str] = set()
        for calls in self._calls_of_thread.values():
            last = max((number for number, call in enumerate(calls) if call in seen), default=-1)
            known.update(calls[: last + 1])
        key = frozenset(known)
        if key not in self._told:
            runs = read_quietly(span for span in self._spans if span.trace_id in known)
            self._told[key] = {run.run_id: run.steps for run in _flatten(runs)}
        return self._told[key]


def _flatten(runs: Iterable[Run]) -> Iterable[Run]:
    for run in runs:
        yield run
        yield from _flatten(run.children)


def find_lie(runs: Iterable[Run], truth: dict[str, list[list[str]]]) -> str:
    """Return what is called complete and is not true, or incomplete without a code; empty where all is honest.

    Of a run that is not verified, the subgraph runs may be missing, which it says.
    """
    for run in runs:
        codes = {problem.code for problem in run.problems}
        if run.complete and run.steps != truth.get(run.run_id):
            return f"{run.run_id} is called complete with {run.steps}, true is {truth.get(run.run_id)}"
        if not run.complete and (not codes - NAMED_ONLY or run.verified):
            return f"{run.run_id} is incomplete and says {codes}"
        if run.verified and (lie := find_lie(run.children, truth)):
            return lie
    return ""
