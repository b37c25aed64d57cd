"""One judged run explained: its supersteps against the nearest of the ways its reference allows, rules, model calls."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from otel_traj.errors import EvaluatorBrokenError, PatternTimeoutError
from otel_traj.match.compare.comparer import Explanation
from otel_traj.match.explain.nearest_ways import pick_near_ways
from otel_traj.match.explain.ops import make_op
from otel_traj.match.explain.scores import score_run, score_unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.match.explain.hints import Hint
    from otel_traj.match.explain.ops import SpanIndex
    from otel_traj.match.explain.result import MatchOp, Tolerated
    from otel_traj.match.explain.scores import RunScore
    from otel_traj.match.pairs import JudgedPair

__all__ = ["ExplainedPair", "explain_pair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedPair:
    """Why a run is judged as it is."""

    index: int
    """Of the run among the outputs."""
    reference_index: int
    way: int
    """Which of the trajectories that the reference allows is the nearest."""
    ops: list[MatchOp]
    lines: list[str]
    """One sentence per op, in the same order."""
    hints: list[Hint] = field(default_factory=list)
    note: str | None = None
    score: RunScore
    tolerated: Tolerated | None = None

    @property
    def distance(self) -> tuple[bool, int, int]:
        """How far the run is from its reference, for the choice of the nearest: cost, then number of differences."""
        return self.score.cost is None, self.score.cost or 0, len(self.ops)


def explain_pair(pair: JudgedPair) -> ExplainedPair:
    """Explain a run that was judged.

    A verdict may be certain without a question that the explanation has to ask. Where a callable or a regular
    expression then breaks, the verdict stands and the note says why there is no more to say.

    Args:
        pair: The run with its verdict; for a pass the explanation holds no ops.
    """
    spans = pair.run.index_spans()
    try:
        way, steps = _explain_steps(pair, spans)
    except (EvaluatorBrokenError, PatternTimeoutError) as error:
        note = None if pair.matched else f"supersteps differ, and what differs can't be said: {error}"
        way, steps = 0, Explanation(ops=[], lines=[], note=note, score=score_unknown())
    ops, lines = list(steps.ops), list(steps.lines)
    for op, line in (*_explain_rules(pair, spans), *_explain_choices(pair)):
        ops.append(op)
        lines.append(line)
    return ExplainedPair(
        index=pair.index,
        reference_index=pair.reference_index,
        way=way,
        ops=ops,
        lines=lines,
        hints=steps.hints,
        note=steps.note,
        score=steps.score,
        tolerated=steps.tolerated,
    )


def _explain_steps(pair: JudgedPair, spans: SpanIndex) -> tuple[int, Explanation]:
    """Return the nearest way with its explanation; of equally near ones the first, of very many the likeliest."""
    actual = pair.run.actual
    ways = pair.reference.ways
    if not ways:
        names = [name for step in actual for name in step.names]
        return 0, _make_empty(score_run(cost=0, worst=0, expected=names, actual=names))
    if pair.matched:
        at = next(at for at, way in enumerate(ways) if way.matches(actual))
        return at, ways[at].explain(actual, pair.index, spans)
    found = {at: ways[at].explain(actual, pair.index, spans) for at in pick_near_ways(ways, actual)}
    at = min(found, key=lambda at: (_measure(found[at]), at))
    if len(found) < len(ways) and found[at].note is None:
        note = (
            f"the reference allows {len(ways)} trajectories; only the {len(found)} most alike are looked at"
        )
        return at, replace(found[at], note=note)
    return at, found[at]


def _make_empty(score: RunScore) -> Explanation:
    return Explanation(
        ops=[],
        lines=[],
        score=score,
        tolerated={"missing": [], "extra": [], "reordered_supersteps": 0, "gap_supersteps": 0},
    )


def _measure(explanation: Explanation) -> tuple[bool, int, int, int]:
    cost = explanation.score.cost
    differing = sum(len(op["missing"]) + len(op["extra"]) for op in explanation.ops)
    return explanation.note is not None, cost or 0, differing, len(explanation.ops)


def _explain_rules(pair: JudgedPair, spans: SpanIndex) -> Iterator[tuple[MatchOp, str]]:
    for broken in pair.broken_rules:
        op = make_op("rule", pair.index)
        op["rule"], op["nodes"] = broken.rule, list(broken.nodes)
        op["supersteps"] = list(broken.supersteps)
        op["actual_superstep"] = broken.supersteps[0] if broken.supersteps else None
        op["span_ids"] = [each for at, names in broken.places for each in spans.spans_at(at, names)]
        yield op, broken.text


def _explain_choices(pair: JudgedPair) -> Iterator[tuple[MatchOp, str]]:
    for wrong in pair.wrong_choices:
        op = make_op("model_call", pair.index)
        op["nth"], op["missing"], op["extra"] = wrong.nth, list(wrong.missing), list(wrong.extra)
        op["span_ids"] = [wrong.span_id] if wrong.span_id else []
        yield op, wrong.text
