"""The problems of one place, numbered, bounded and in one voice.

A broken file can have a million broken lines: after the first few of a code the rest is counted and summed up
in one. Problems can be held back while it is still open whether the place holds JSON at all: of an image or a
table one sentence says more than a complaint about each of its lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.model import SourceProblem, SourceProblemCode

if TYPE_CHECKING:
    from otel_traj.sources.position import Position
    from otel_traj.sources.protocol import OnProblem

__all__ = ["PROBLEMS_PER_CODE", "ProblemLog"]

PROBLEMS_PER_CODE: Final = 20
"""Problems of one code that are reported one by one."""


class ProblemLog:
    """Reports the problems of one place."""

    def __init__(self, source: str, on_problem: OnProblem, *, hold: bool = False) -> None:
        """Begin with nothing reported.

        Args:
            source: The place, as it stands in each problem.
            on_problem: Who is told.
            hold: Keep problems back until `release` or `discard`.
        """
        self.source = source
        self.named_traces: set[str] = set()
        """Traces of which it was said that spans are missing."""
        self._on_problem = on_problem
        self._held: list[SourceProblem] | None = [] if hold else None
        self._counts: dict[SourceProblemCode, int] = {}
        self._last_places: dict[SourceProblemCode, tuple[int | None, int | None]] = {}

    def report(
        self,
        code: SourceProblemCode,
        message: str,
        *,
        line: int | None = None,
        offset: int | None = None,
        trace_ids: tuple[str, ...] = (),
    ) -> None:
        """Report one problem, or count it where its code was reported often enough.

        Args:
            code: What kind it is.
            message: What was found, why it stops us, what to do.
            line: Line number from 1, for text.
            offset: Byte offset, for binary forms.
            trace_ids: Traces of which spans are missing; problems that name some are never summed up.
        """
        self.named_traces.update(trace_ids)
        if not trace_ids:
            self._counts[code] = self._counts.get(code, 0) + 1
            self._last_places[code] = (line, offset)
        if trace_ids or self._counts[code] <= PROBLEMS_PER_CODE:
            self._send(
                SourceProblem(
                    code=code,
                    message=message,
                    source=self.source,
                    line=line,
                    offset=offset,
                    trace_ids=trace_ids,
                )
            )

    def add(self, code: SourceProblemCode, number: int, *, line: int) -> None:
        """Count further problems of a code of which enough were reported one by one.

        Args:
            code: What kind they are.
            number: How many.
            line: Line number of the last.
        """
        self._counts[code] += number
        self._last_places[code] = (line, None)

    def count(self, code: SourceProblemCode) -> int:
        """Return how many problems of a code were reported that name no trace.

        Args:
            code: Which.
        """
        return self._counts.get(code, 0)

    def report_at(
        self, at: Position, code: SourceProblemCode, message: str, *, trace_ids: tuple[str, ...] = ()
    ) -> None:
        """Report one problem of a record; its message begins with where that stands.

        Args:
            at: Where the record begins.
            code: What kind it is.
            message: What was found, why it stops us, what to do.
            trace_ids: Traces of which spans are missing.
        """
        self.report(code, f"{at}: {message}", line=at.line, offset=at.offset, trace_ids=trace_ids)

    def release(self) -> None:
        """Report what was held back, and hold nothing back from now on."""
        held, self._held = self._held, None
        for problem in held or ():
            self._on_problem(problem)

    def discard(self) -> None:
        """Forget all problems so far, and hold nothing back from now on."""
        self._held = None
        self.named_traces.clear()
        self._counts.clear()

    def close(self) -> None:
        """Report what was held back, and one sum for each code that was met too often."""
        self.release()
        for code, count in self._counts.items():
            more = count - PROBLEMS_PER_CODE
            if more > 0:
                line, offset = self._last_places[code]
                where = _name_place(line, offset)
                self._send(
                    SourceProblem(
                        code=code,
                        message=f"{more} more of the kind {code!r}{where}; they are not listed, "
                        "and what they hold is not used; the ones listed show what to repair",
                        source=self.source,
                        line=line,
                        offset=offset,
                    )
                )
        self._counts.clear()

    def _send(self, problem: SourceProblem) -> None:
        if self._held is None:
            self._on_problem(problem)
        else:
            self._held.append(problem)


def _name_place(line: int | None, offset: int | None) -> str:
    if line is not None:
        return f", the last at line {line}"
    return f", the last at byte {offset}" if offset is not None else ""
