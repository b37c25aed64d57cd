"""Runs whose thread is not known, and calls that went on with one of them.

Nothing resumes without a thread: a resumed call that says none has lost it, to a redaction for one, and so have the
other calls of its graph. Where neither a task nor a link tells which run it went on with, it may be any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.reconstruct.parts import find_thread
from otel_traj.reconstruct.threads import may_be_equal, name_lost_call, read_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.reconstruct.parts import Part
    from otel_traj.reconstruct.threads import Chain

__all__ = ["doubt_without_threads"]


def doubt_without_threads(chains: Sequence[Chain]) -> Sequence[Chain]:
    """Name, at each run that it may have gone on with, a resumed call whose thread and beginning are not known.

    Args:
        chains: All runs of a source; problems are added to them.

    Returns:
        The same.
    """
    unknown = [chain for chain in chains if find_thread(chain.parts[0]) is None]
    resumed = {read_key(chain.parts[0]): chain.parts[0] for chain in unknown if _may_resume(chain.parts[0])}
    for chain in unknown:
        key = read_key(chain.parts[0])
        follower = next((part for other, part in resumed.items() if may_be_equal(key, other)), None)
        if follower is not None and follower is not chain.parts[0]:
            chain.problems.append(name_lost_call(chain, follower))
    return chains


def _may_resume(part: Part) -> bool:
    """Whether a call resumes, or may, and ran something, so that there is a run which it went on with."""
    graph = part.graph
    if graph is None or not part.has_root or not part.tasks:
        return False
    return graph.resumed or sc.RESUMED in graph.place.missing_keys
