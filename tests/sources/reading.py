"""Reading for tests: what a source yields, and what it reports."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from otel_traj.sources import open_source
from otel_traj.sources.files.streams import read_stream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.model import SourceProblem, Span

__all__ = ["codes", "fingerprint", "read", "read_bytes", "refuse"]


def read(source: object) -> tuple[list[Span], list[SourceProblem]]:
    """Return the spans of whatever can be opened, and its problems."""
    problems: list[SourceProblem] = []
    return list(open_source(source).read_spans(problems.append)), problems


def read_bytes(*data: bytes, max_bytes: int = 2**20) -> tuple[list[Span], list[SourceProblem]]:
    """Return the spans in bytes, as if they stood in a file, and its problems."""
    problems: list[SourceProblem] = []
    stream: io.BufferedReader = io.BufferedReader(io.BytesIO(b"".join(data)))
    return list(read_stream(stream, "bytes", problems.append, max_bytes=max_bytes)), problems


def codes(problems: Iterable[SourceProblem]) -> list[str]:
    """Return the codes of problems, in order."""
    return [problem.code for problem in problems]


def fingerprint(spans: Iterable[Span]) -> list[str]:
    """Return a multiset of spans in a form in which NaN equals itself."""
    return sorted(map(repr, spans))


def refuse(problem: SourceProblem) -> None:
    """Take no problem at all."""
    raise AssertionError(problem)
