"""Spans as OTLP JSON lines in a file: the same form as the collector's file exporter writes.

One line is one `ExportTraceServiceRequest` (OTLP 1.11, JSON encoding): camelCase keys, hex ids, 64-bit integers
as text, enums as numbers. Built on `encode_spans`, which every supported exporter package has (1.33 and newer);
the JSON file exporter package exists only for the newest SDK. protobuf's own JSON form differs in one thing,
ids as base64, which is set right here.

A line leaves in one write call on a file opened for appending, so that lines of several threads and processes
never mix, and a process that is killed leaves whole lines behind.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from otel_traj.errors import SinkError
from otel_traj.record.forking import renew_in_child

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["JsonLinesSpanExporter", "encode_line", "locate_file"]

_logger = logging.getLogger("otel_traj")
_ID_KEYS = ("traceId", "spanId", "parentSpanId")


def encode_line(spans: Sequence[ReadableSpan]) -> bytes:
    """Return spans as one line of OTLP JSON, with its newline.

    Args:
        spans: Ended spans of the SDK.

    Returns:
        ASCII: what is beyond it is escaped, so that no reader takes a separator inside a text for a line's end.
    """
    request = MessageToDict(encode_spans(spans), use_integers_for_enums=True)
    for resource_spans in request.get("resourceSpans", ()):
        for scope_spans in resource_spans.get("scopeSpans", ()):
            for span in scope_spans.get("spans", ()):
                _write_ids_as_hex(span)
                for link in span.get("links", ()):
                    _write_ids_as_hex(link)
    return json.dumps(request, separators=(",", ":")).encode("ascii") + b"\n"


def _write_ids_as_hex(holder: dict[str, str]) -> None:
    for key in _ID_KEYS:
        if key in holder:
            holder[key] = base64.b64decode(holder[key]).hex()


def locate_file(path: str | os.PathLike[str]) -> Path:
    """Return the file that a user names: a leading `~` is the home directory, as in a shell."""
    # `Path.expanduser` raises where no user is called so; a shell, and this, take the name as it stands then.
    return Path(os.path.expanduser(path))  # noqa: PTH111


class JsonLinesSpanExporter(SpanExporter):
    """Appends spans to a file as OTLP JSON lines.

    Give it to a `SimpleSpanProcessor`: then a span is in the file when it has ended. Safe between threads, and
    several processes may append to one file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open the file for appending; make it, and its folder, where they are missing.

        A last line that some process left unfinished is closed first, so that it spoils no other.

        Args:
            path: The file; a leading `~` is the home directory.

        Raises:
            SinkError: The file can't be opened.
        """
        self._path = locate_file(path)
        self.renew_locks()
        renew_in_child(self)
        self._has_complained = False
        self._is_shut_down = False
        self._is_cut = False
        """The file ends in a line of ours that found no more room."""
        try:
            self._open()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SinkError(
                f"{os.fspath(path)!r} can't be opened for appending ({reason}), so no span could be written. Name a "
                f"file in a folder that this process may write to.",
                path=os.fspath(path),
            ) from error

    def renew_locks(self) -> None:
        """Make the lock."""
        self._lock = threading.RLock()

    def _open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = _ends_unfinished(self._path)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
        self._descriptor = os.open(self._path, flags, 0o666)
        self._close = weakref.finalize(self, os.close, self._descriptor)
        # At Python's exit the provider may still have spans for it, after finalizers have run.
        self._close.atexit = False
        if unfinished:
            os.write(self._descriptor, b"\n")

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def is_shut_down(self) -> bool:
        """Nothing is written any more."""
        return self._is_shut_down

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Append one line with these spans."""
        if not spans:
            return SpanExportResult.SUCCESS
        line = encode_line(spans)
        try:
            self._write(line)
        except OSError as error:
            self._complain(error)
            return SpanExportResult.FAILURE
        return SpanExportResult.SUCCESS

    def _write(self, line: bytes) -> None:
        with self._lock:
            if self._is_shut_down:
                raise OSError("the exporter was shut down")
            if self._is_gone():
                self._close()
                self._open()
                self._is_cut = False
            rest = memoryview(b"\n" + line if self._is_cut else line)
            while rest:
                written = os.write(self._descriptor, rest)
                rest = rest[written:]
                self._is_cut = len(rest) > 0

    def _is_gone(self) -> bool:
        """Whether the path names another file by now: somebody deleted or rotated the one that is open."""
        try:
            return not os.path.samestat(self._path.stat(), os.fstat(self._descriptor))
        except FileNotFoundError:
            return True

    def _complain(self, error: OSError) -> None:
        if not self._has_complained:
            self._has_complained = True
            _logger.error("spans could not be written to %r (%s); this is said once", str(self._path), error)

    def shutdown(self) -> None:
        """Close the file; spans that come later are refused."""
        with self._lock:
            self._is_shut_down = True
            self._close()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 - the interface of exporters
        """Return True: nothing waits in here."""
        return True


def _ends_unfinished(path: Path) -> bool:
    """Whether the file's last line has no newline; False for what is no ordinary file with something in it."""
    if not path.is_file() or path.stat().st_size == 0:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
