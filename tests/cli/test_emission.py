"""`eval --emit`: verdicts are sent where that is asked for, and what becomes of them changes no verdict."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from otel_traj.cli import main
from tests.cli.situations import SITUATIONS, expect_code, write_situations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class _Backend(ThreadingHTTPServer):
    """What verdicts are sent to: it keeps the paths that were asked, and answers with one status."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = 200
        self.paths: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    server: _Backend

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.paths.append(self.path)
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Backend]:
    """A backend that the standard variables name."""
    with _Backend() as backend:
        thread = Thread(target=backend.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{backend.server_port}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "5")
        yield backend
        backend.shutdown()
        thread.join()


@pytest.mark.parametrize("names", [("a pass",), ("a pass", "a fail"), ("a pass", "a lost batch")])
@pytest.mark.parametrize("status", [200, 400])
def test_verdicts_are_sent_only_where_that_is_asked_for(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    backend: _Backend,
    names: tuple[str, ...],
    status: int,
) -> None:
    """Without `--emit` no backend hears of them; with it answer and code are the same, whatever the backend does."""
    backend.status = status
    mixed = [SITUATIONS[name] for name in names]
    arguments = ["eval", *write_situations(tmp_path, mixed)]
    assert main(arguments) == expect_code(mixed)
    alone = capsys.readouterr()
    assert backend.paths == []
    assert main([*arguments, "--emit", "otlp"]) == expect_code(mixed)
    emitting = capsys.readouterr()
    assert set(backend.paths) == {"/v1/logs"}
    assert emitting.out == alone.out
    said = emitting.err.removeprefix(alone.err)
    total = "1 verdict" if len(names) == 1 else "2 verdicts"
    assert said.startswith(f"otel-traj: {total} sent" if status == 200 else f"otel-traj: 0 of {total} sent")
