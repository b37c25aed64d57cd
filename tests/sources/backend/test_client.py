from __future__ import annotations

import contextlib
import gzip
import socket
import ssl
import subprocess
import threading
import traceback
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import SourceError
from otel_traj.sources import SpanQuery, open_source
from otel_traj.sources.jaeger.source import JaegerSource
from tests.sources.contract_spans import SPANS, TRACE
from tests.sources.jaeger.stand_in import JaegerStandIn
from tests.sources.reading import codes, refuse
from tests.sources.serving import Reply, serve

if TYPE_CHECKING:
    from pathlib import Path

    from otel_traj.model import SourceProblem
    from tests.sources.serving import Request

ONE = SpanQuery(traces=(TRACE,))


class Flaky:
    """A Jaeger that first gives some other answers."""

    def __init__(self, *first: Reply) -> None:
        """Give these before it answers."""
        self.first = list(first)
        self.jaeger = JaegerStandIn(SPANS)

    def __call__(self, request: Request) -> Reply:
        """Answer one request."""
        return self.first.pop(0) if self.first else self.jaeger(request)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_backend_is_asked_again(status: int) -> None:
    """The wait grows, and then the trace comes."""
    waited: list[float] = []
    with serve(Flaky(Reply(status), Reply(status))) as served:
        source = JaegerSource(f"jaeger+http://{served.place}", sleep=waited.append)
        assert len(list(source.read_spans(refuse, ONE))) == 4
    assert len(waited) == 2
    assert waited[0] < waited[1]


def test_a_backend_says_how_long_to_wait() -> None:
    """`Retry-After` in seconds is honoured."""
    waited: list[float] = []
    with serve(Flaky(Reply(429, headers={"retry-after": "7"}))) as served:
        source = JaegerSource(f"jaeger+http://{served.place}", sleep=waited.append)
        assert len(list(source.read_spans(refuse, ONE))) == 4
    assert waited == [7.0]


@pytest.mark.parametrize(
    "first",
    [[Reply(503, b"down")] * 6, [Reply(503, b"down", {"retry-after": "3600"})]],
    ids=["too often", "too long"],
)
def test_patience_ends(first: list[Reply]) -> None:
    """After a few tries, and at once where the wait would be too long, the last answer is the error."""
    waited: list[float] = []
    with serve(Flaky(*first)) as served, pytest.raises(SourceError, match="503 and 'down'; it is too busy"):
        list(JaegerSource(f"jaeger+http://{served.place}", sleep=waited.append).read_spans(refuse, ONE))
    assert len(waited) == len(first) - 1


def test_nobody_there_is_said_soon() -> None:
    """A port at which nothing listens: a few tries, then what to look at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        waited: list[float] = []
        source = JaegerSource(f"jaeger+http://127.0.0.1:{port}/base?service=x", sleep=waited.append)
        with pytest.raises(SourceError, match="look whether it runs, and at host, port and scheme") as raised:
            list(source.read_spans(refuse))
    assert raised.value.source == source.name
    assert len(waited) == 3


def test_a_connection_that_breaks_off_is_tried_again_and_never_taken_for_the_end() -> None:
    """Half an answer is no answer."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer_half() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n" + b'{"result":')

    thread = threading.Thread(target=answer_half)
    thread.start()
    try:
        place = f"127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(SourceError, match="no answer from it"):
            list(JaegerSource(f"jaeger+http://{place}", sleep=lambda _: None).read_spans(refuse, ONE))
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n", b""),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n", b" "),
        (b"HTTP/1.1 200 OK\r\n\r\n", b" "),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;", b"a"),
        (b"HTTP/1.1 200 OK\r\n", b"a: b\r\n"),
        (b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
        (
            b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03",
            b"\0\0\0\xff\xff",
        ),
    ],
    ids=["silent", "slow", "no length", "chunks", "a chunk's head", "headers", "102", "nothing packed"],
)
def test_a_backend_that_never_comes_to_an_end_is_left(first: bytes, again: bytes) -> None:
    """Neither silence nor a few bytes now and then hold a reader for ever, wherever in the answer they come."""
    ended = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def answer_slowly() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(first)
            while not ended.wait(0.05):
                with contextlib.suppress(OSError):
                    connection.sendall(again)

    thread = threading.Thread(target=answer_slowly)
    thread.start()
    try:
        place = f"127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(SourceError, match="did not answer in time"):
            list(JaegerSource(f"jaeger+http://{place}", seconds=0.3).read_spans(refuse, ONE))
    finally:
        ended.set()
        thread.join()
        listener.close()


def test_a_trace_that_is_too_large_is_left_out_with_words() -> None:
    """The others are read; what is missing is named by its id."""
    problems: list[SourceProblem] = []
    with serve(JaegerStandIn(SPANS)) as served:
        source = JaegerSource(f"jaeger+http://{served.place}", max_bytes=1_000)
        assert list(source.read_spans(problems.append, ONE)) == []
    assert codes(problems) == ["partial_response"]
    assert problems[0].trace_ids == (TRACE,)
    assert "more than 1,000 bytes" in problems[0].message


def test_a_decompression_bomb_stops_at_the_bound() -> None:
    """A small packed answer that is large unpacked is not unpacked further than the bound."""
    bomb = gzip.compress(b'{"result":' + b" " * 50_000_000 + b"{}}")
    assert len(bomb) < 100_000
    problems: list[SourceProblem] = []
    with serve(lambda _: Reply(200, bomb, {"content-encoding": "gzip"})) as served:
        source = JaegerSource(f"jaeger+http://{served.place}", max_bytes=1_000_000)
        tracemalloc.start()
        try:
            assert list(source.read_spans(problems.append, ONE)) == []
            assert tracemalloc.get_traced_memory()[1] < 20_000_000
        finally:
            tracemalloc.stop()
    assert codes(problems) == ["partial_response"]


@pytest.mark.parametrize("packing", ["gzip, gzip", "deflate", "br", "zstd", "x"])
def test_a_packing_that_nobody_asked_for_is_an_error_and_not_unpacked(packing: str) -> None:
    """What would unpack it knows no bound: gzip in gzip makes a billion bytes of two thousand."""
    with serve(lambda _: Reply(200, b"what it holds", {"content-encoding": packing})) as served:
        source = JaegerSource(f"jaeger+http://{served.place}", sleep=lambda _: None)
        with pytest.raises(SourceError, match=f"it is packed as '{packing}', which was not asked for"):
            list(source.read_spans(refuse, ONE))


def test_a_packed_answer_is_unpacked() -> None:
    """Gzip is asked for, and read."""

    def answer(request: Request) -> Reply:
        assert request.headers["accept-encoding"] == "gzip"
        reply = JaegerStandIn(SPANS)(request)
        return Reply(200, gzip.compress(reply.body), {"content-encoding": "gzip"})

    with serve(answer) as served:
        assert len(list(open_source(f"jaeger+http://{served.place}").read_spans(refuse, ONE))) == 4


@pytest.mark.parametrize("body", [b"no gzip", gzip.compress(b"{}" * 500)[:-10]], ids=["none", "cut"])
def test_a_broken_packing_is_an_error_of_ours(body: bytes) -> None:
    """What can't be unpacked is told as what it is."""
    with serve(lambda _: Reply(200, body, {"content-encoding": "gzip"})) as served:
        source = JaegerSource(f"jaeger+http://{served.place}", sleep=lambda _: None)
        with pytest.raises(SourceError, match="the answer can't be read"):
            list(source.read_spans(refuse, ONE))


def test_a_redirect_is_not_followed() -> None:
    """The user's headers go nowhere else."""
    with serve(lambda _: Reply(404)) as other:
        move = Reply(302, headers={"location": f"http://{other.place}/login"})
        with serve(lambda _: move) as served, pytest.raises(SourceError, match="redirects are not followed"):
            list(open_source(f"jaeger+http://{served.place}").read_spans(refuse, ONE))
    assert other.requests == []


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of a certificate for 127.0.0.1 with its key, which nobody trusts."""
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    try:
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=127.0.0.1",
                "-addext",
                "subjectAltName=IP:127.0.0.1",
                "-keyout",
                f"{path}.key",
                "-out",
                f"{path}.crt",
            ],
            check=True,
            capture_output=True,
        )
    except FileNotFoundError:
        pytest.skip("no openssl to make a certificate with")
    path.write_bytes(
        path.with_name("both.pem.key").read_bytes() + path.with_name("both.pem.crt").read_bytes()
    )
    return path


def test_tls_is_checked(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown certificate is refused, one named in SSL_CERT_FILE is not, and insecure=true asks for no check."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    with serve(JaegerStandIn(SPANS), tls=tls) as served:
        name = f"jaeger+https://{served.place}"
        with pytest.raises(SourceError, match=r"(?i)certificate"):
            list(JaegerSource(name, sleep=lambda _: None).read_spans(refuse, ONE))
        assert len(list(open_source(f"{name}?insecure=true").read_spans(refuse, ONE))) == 4
        monkeypatch.setenv("SSL_CERT_FILE", f"{certificate}.crt")
        assert len(list(open_source(name).read_spans(refuse, ONE))) == 4


def test_a_certificate_file_that_is_not_there_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the variable that names it."""
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/at/all.pem")
    with pytest.raises(SourceError, match="look at SSL_CERT_FILE"):
        list(open_source("jaeger+https://127.0.0.1:1").read_spans(refuse, ONE))


@pytest.mark.parametrize("proxy", ["http://ann:hun?ter2@proxy", "http://ann:hunter2", "hun://ann:ter2@proxy"])
def test_no_part_of_a_proxys_password_is_shown(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where its address can't be used, either."""
    monkeypatch.setenv("HTTP_PROXY", proxy)
    with pytest.raises(SourceError, match="proxies that the environment names") as raised:
        list(open_source("jaeger+http://jaeger.example:16686").read_spans(refuse, ONE))
    shown = "".join(traceback.format_exception(raised.value))
    assert "hun" not in shown
    assert "ter2" not in shown


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The request goes to the proxy, with the whole address."""
    with serve(lambda _: Reply(404, b'{"error":{"message":"none"}}')) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.place}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        list(open_source("jaeger+http://jaeger.example:16686").read_spans(lambda _: None, ONE))
    assert proxy.requests[0].headers["host"] == "jaeger.example:16686"
