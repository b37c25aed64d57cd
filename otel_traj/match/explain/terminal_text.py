"""A verdict as it stands in a terminal: what failed, in which modes, by how much, then the explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.match.explain.result import MatchVerdict
    from otel_traj.match.options import MatchOptions

__all__ = ["describe_outcome"]


def describe_outcome(
    key: str,
    verdict: MatchVerdict,
    comment: str | None,
    options: MatchOptions,
    metadata: Mapping[str, object] | None,
) -> str:
    """Return a verdict with its explanation in lines of text.

    Args:
        key: The key of the result.
        verdict: The verdict.
        comment: The explanation; None for a pass.
        options: How trajectories were compared.
        metadata: Of the result; edits and fitness are taken from it.
    """
    word = "NOT EVALUATED" if verdict == "not_evaluated" else verdict.upper()
    head = f"{word} {key} ({options.trajectory_mode}, {options.step_mode})"
    edits = None if metadata is None else metadata.get("edits")
    if edits is not None and metadata is not None:
        head += f": {edits} edit{'' if edits == 1 else 's'}, fitness {metadata.get('fitness')}"
    return "\n".join([head, *(f"  {line}" for line in (comment or "").splitlines())])
