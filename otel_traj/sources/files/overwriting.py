"""A command that writes a file refuses to write over, or into, what it reads.

A reader that meets its own output reads on for ever, or judges the same runs twice (seen in other readers:
open-telemetry/opentelemetry-collector-contrib#31676). Asked before anything is opened for writing. A file that an
exporter of this process writes may be read, of course.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from otel_traj.errors import SinkError

if TYPE_CHECKING:
    from otel_traj.sources.protocol import Source

__all__ = ["ReadsFiles", "refuse_to_overwrite"]


@runtime_checkable
class ReadsFiles(Protocol):
    """A source that reads files, and knows which."""

    def would_read(self, path: Path) -> bool:
        """Return whether it reads a file, or would once that is written."""
        ...


def refuse_to_overwrite(output: str | Path, source: Source) -> None:
    """Refuse an output that is among the inputs.

    Args:
        output: The file that is to be written; it need not be there.
        source: What is to be read.

    Raises:
        SinkError: The source reads that file, or would once it is written.
    """
    if isinstance(source, ReadsFiles) and source.would_read(Path(output)):
        raise SinkError(
            f"{str(output)!r} is read as a part of {source.name!r}; writing it would change what is read; name another "
            "file, in another directory where a whole one is read",
            path=str(output),
        )
