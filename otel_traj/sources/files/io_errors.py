"""What the operating system says about a place, in this package's words: translated here and nowhere else."""

from __future__ import annotations

from otel_traj.errors import SourceError

__all__ = ["make_source_error"]


def make_source_error(source: str, error: OSError) -> SourceError:
    """Return the error of a place that can't be opened or read.

    Args:
        source: The place as the user named it.
        error: What the operating system said.
    """
    return SourceError(
        f"{source!r} can't be read ({error.strerror or error}); its spans are not known; check that it is there and "
        "that you may read it",
        source=source,
    )
