"""The same runs in several sources: which source holds which run, and in what they differ; pure.

Runs are the same where they share the callback run id of a call: a resumed run whose parts one source could not
join is still that run, there in pieces. Times and content are not compared, for a source may round the one and cut
the other without losing a span; both show in the problems of the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.evaluate.doctor.diagnosis import Aspect, AspectName, ComparedRun
from otel_traj.evaluate.doctor.run_diagnosis import list_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otel_traj.evaluate.doctor.diagnosis import RunDiagnosis, SourceDiagnosis

__all__ = ["compare_sources"]

_Held = list[list["RunDiagnosis"]]
"""Beside the sources: the pieces of one run that each holds."""


def compare_sources(sources: Sequence[SourceDiagnosis]) -> list[ComparedRun]:
    """Return every run of several sources with what differs, by start.

    Args:
        sources: At least two that could be read; of the others nothing is compared.
    """
    is_known = [source.error is None for source in sources]
    groups = sorted(_group(sources), key=lambda held: _first(held).run.started_ns)
    return [_compare(held, is_known) for held in groups]


def _group(sources: Sequence[SourceDiagnosis]) -> list[_Held]:
    groups: dict[str, _Held] = {}
    for index, source in enumerate(sources):
        for found in source.runs:
            ids = _list_ids(found)
            held: _Held = [[] for _ in sources]
            for other in {id(group): group for key in ids if (group := groups.get(key))}.values():
                for place, pieces in enumerate(other):
                    held[place] += pieces
            held[index].append(found)
            for key in {key for pieces in held for piece in pieces for key in _list_ids(piece)}:
                groups[key] = held
    return list({id(held): held for held in groups.values()}.values())


def _list_ids(found: RunDiagnosis) -> set[str]:
    ids = {found.run.run_id, *(call.run_id for call in found.run.invocations)} - {""}
    return ids or {f"trace {trace_id}" for trace_id in found.run.trace_ids}


def _first(held: _Held) -> RunDiagnosis:
    """The piece that says most: of a run with a known graph, the earliest."""
    pieces = [piece for pieces in held for piece in pieces]
    return min(pieces, key=lambda piece: (piece.run.graph is None, piece.run.started_ns))


def _compare(held: _Held, is_known: Sequence[bool]) -> ComparedRun:
    facts = [_describe(pieces) if pieces else None for pieces in held]
    there = [fact for fact in facts if fact is not None]
    run = _first(held).run
    return ComparedRun(
        run_id=run.run_id,
        graph=run.graph,
        thread_id=run.thread_id,
        present=[bool(pieces) if known else None for pieces, known in zip(held, is_known, strict=True)],
        differences=[
            Aspect(name=name, values=[fact and fact[name] for fact in facts])
            for name in there[0]
            if any(fact[name] != there[0][name] for fact in there)
        ],
    )


def _describe(pieces: Sequence[RunDiagnosis]) -> dict[AspectName, object]:
    """Return what is compared, of all pieces of a run together."""
    runs = [piece.run for piece in pieces]
    every = [each for run in runs for each in list_runs(run)]
    arrivals = [call.arrival for piece in pieces for call in piece.calls if not call.is_subgraph]
    roots = sum(bool(call.span_id) for run in runs for call in run.invocations)
    return {
        "runs": len(pieces),
        "status": runs[-1].status,
        "complete": all(piece.complete for piece in pieces),
        "problems": _sort_once(finding.code for piece in pieces for finding in piece.findings),
        "steps": [names for run in runs for names in run.steps],
        "tasks": sum(len(each.tasks) for each in every),
        "spans": sum(arrival.spans for arrival in arrivals) + roots,
        "model_calls": sum(len(run.model_calls) for run in runs),
        "tool_calls": sum(len(run.tool_calls) for run in runs),
        "subgraph_runs": len(every) - len(runs),
    }


def _sort_once(codes: Iterable[str]) -> list[str]:
    return sorted(set(codes))
