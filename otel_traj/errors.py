"""The exception tree, and the one sentence form of its messages.

Every error of this package is an `OtelTrajError`. One that bad input causes is a `ValueError` or `TypeError`
as well, so that callers who know nothing of us catch it where they expect it. A message has three parts: what
was found, why it stops us, what the user can do.

    OtelTrajError
    +-- EvaluatorBrokenError                  a comparison of the user's own raised, or gave no answer
    +-- SourceError             (OSError)     a source can't be opened or read at all
    +-- SinkError               (OSError)     a file that spans are to be written to can't be opened
    +-- HistoryError            (ValueError)  a checkpointer's history can't be read
    +-- InvalidReferenceError   (ValueError)  a reference file or a reference object is not valid
    +-- MissingExtraError       (ImportError) a package that is an extra is needed and not installed
    +-- NotEvaluatedError       (AssertionError)  what was asserted could not be judged
    +-- PatternTimeoutError     (ValueError)  a regular expression of a reference takes too long on a name
    +-- TrajectoryTypeError     (TypeError)   something that is no trajectory stands where one is needed
    +-- TrajectoryValueError    (ValueError)  the right type, a value that can't be answered exactly
"""

from __future__ import annotations

__all__ = [
    "EvaluatorBrokenError",
    "HistoryError",
    "InvalidReferenceError",
    "MissingExtraError",
    "NotEvaluatedError",
    "OtelTrajError",
    "PatternTimeoutError",
    "SinkError",
    "SourceError",
    "TrajectoryTypeError",
    "TrajectoryValueError",
]


class OtelTrajError(Exception):
    """Base of every error this package raises."""


class EvaluatorBrokenError(OtelTrajError):
    """A comparison of the user's own raised, or gave no answer; what it compared is not evaluated."""

    def __init__(self, message: str, *, error_type: str | None) -> None:
        """Keep the type of what was raised beside the message.

        Args:
            message: What was found, why it stops us, what to do; nothing of what was compared.
            error_type: Name of the type of the exception; None where an answer was given that is none.
        """
        super().__init__(message)
        self.error_type = error_type
        """Name of the type of the exception, or None for an answer that is none."""


class SourceError(OtelTrajError, OSError):
    """A source of spans can't be opened, or nothing in it can be read as spans."""

    def __init__(self, message: str, *, source: str) -> None:
        """Keep the source beside the message.

        Args:
            message: What was found, why it stops us, what to do.
            source: The source as the user named it.
        """
        super().__init__(message)
        self.source = source
        """The source as the user named it."""


class SinkError(OtelTrajError, OSError):
    """A file that spans are to be written to can't be opened."""

    def __init__(self, message: str, *, path: str) -> None:
        """Keep the path beside the message.

        Args:
            message: What was found, why it stops us, what to do.
            path: The file as the user named it.
        """
        super().__init__(message)
        self.path = path
        """The file as the user named it."""


class HistoryError(OtelTrajError, ValueError):
    """A trajectory can't be read from a checkpointer's history."""


class InvalidReferenceError(OtelTrajError, ValueError):
    """A reference (file or object) is not valid."""

    def __init__(
        self, message: str, *, path: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        """Keep the place beside the message.

        Args:
            message: What was found, why it stops us, what is allowed.
            path: The reference file, where there is one.
            line: Line in the file, from 1.
            column: Column in the line, from 1.
        """
        super().__init__(message)
        self.path = path
        """The reference file, or None for an object."""
        self.line = line
        """Line in the file, from 1, or None."""
        self.column = column
        """Column in the line, from 1, or None."""


class MissingExtraError(OtelTrajError, ImportError):
    """What was asked for needs a package that is not in the base install; the message says which extra brings it."""


class NotEvaluatedError(OtelTrajError, AssertionError):
    """What was asserted of runs could not be judged, which is neither a pass nor a fail; the message says why."""


class PatternTimeoutError(OtelTrajError, ValueError):
    """A regular expression of a reference did not come to its end on a name in time."""


class TrajectoryTypeError(OtelTrajError, TypeError):
    """Something that is no trajectory, reference or run stands where one is needed."""


class TrajectoryValueError(OtelTrajError, ValueError):
    """A value of the right type that can't be used; the message lists what is allowed."""
