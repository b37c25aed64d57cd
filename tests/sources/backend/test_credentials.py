from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from otel_traj.errors import SourceError
from otel_traj.sources import open_source
from tests.sources.reading import refuse
from tests.sources.serving import Reply, serve

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sources.serving import Request


def test_credentials_of_the_environment_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bearer token, and headers in the form that OpenTelemetry's own variables have."""
    monkeypatch.setenv("OTEL_TRAJ_TOKEN", "t0ken-of-ann")
    monkeypatch.setenv("OTEL_TRAJ_HEADERS", "X-Scope-OrgID=team%20a, x-more = 1")
    with serve(lambda _: Reply(404, b'{"error":{"message":"none"}}')) as served:
        list(open_source(f"jaeger+http://{served.place}").read_spans(lambda _: None))
    headers = served.requests[0].headers
    assert headers["authorization"] == "Bearer t0ken-of-ann"
    assert (headers["x-scope-orgid"], headers["x-more"]) == ("team a", "1")


def test_a_user_in_the_name_goes_before_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearer word counts: basic authentication."""
    monkeypatch.setenv("OTEL_TRAJ_TOKEN", "t0ken-of-ann")
    with serve(lambda _: Reply(404, b'{"error":{"message":"none"}}')) as served:
        list(open_source(f"tempo+http://ann:p%40ss@{served.place}?trace=1").read_spans(lambda _: None))
    assert served.requests[0].headers["authorization"] == "Basic YW5uOnBAc3M="


def test_a_tenant_in_the_name_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tempo's `X-Scope-OrgID`; the name goes before the environment."""
    monkeypatch.setenv("OTEL_TRAJ_HEADERS", "x-scope-orgid=other")
    with serve(lambda _: Reply(404)) as served:
        list(
            open_source(f"tempo+http://{served.place}?tenant=team-a|team-b&trace=1").read_spans(
                lambda _: None
            )
        )
    assert served.requests[0].headers["x-scope-orgid"] == "team-a|team-b"


@pytest.mark.parametrize("place", ["jaeger+http://ann:pa55word@{}", "tempo+http://ann:pa55word@{}"])
@pytest.mark.parametrize("status", [200, 401, 403, 302, 400, 500])
def test_no_secret_is_shown_even_where_it_is_answered(
    place: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backend that answers with what it was sent gives no secret away."""
    monkeypatch.setenv("OTEL_TRAJ_HEADERS", "x-key=s3cr3t-key")
    monkeypatch.setenv("OTEL_TRAJ_TOKEN", "t0ken-of-ann")

    def answer(request: Request) -> Reply:
        return Reply(status, f"you sent {request.headers}, pa55word, t0ken-of-ann".encode())

    with serve(answer) as served, pytest.raises(SourceError) as raised:
        list(open_source(place.format(served.place)).read_spans(refuse))
    for secret in ("pa55word", "YW5uOnBhNTV3b3Jk", "s3cr3t-key", "t0ken-of-ann"):
        assert secret not in str(raised.value) + raised.value.source


@pytest.mark.parametrize("before", ["", "x" * 150, " " * 900])
def test_no_piece_of_a_long_secret_is_shown(before: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown of an answer is cut, and a signed token is longer than that: its beginning is a secret, too."""
    token = "".join(f"part{number}-" for number in range(200))
    monkeypatch.setenv("OTEL_TRAJ_TOKEN", token)
    with (
        serve(lambda request: Reply(500, f"{before}{request.headers['authorization']}".encode())) as served,
        pytest.raises(SourceError, match="500") as raised,
    ):
        list(open_source(f"jaeger+http://{served.place}").read_spans(refuse))
    assert "part" not in str(raised.value)


@pytest.mark.parametrize(
    "write",
    [
        str,
        json.dumps,
        lambda text: json.dumps(text).replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026"),
        lambda text: json.dumps(text).replace("/", r"\/"),
        html.escape,
        lambda text: quote(text, safe=""),
        repr,
    ],
    ids=["as it is", "JSON", "JSON of Go", "JSON of PHP", "HTML", "URL", "repr"],
)
def test_no_secret_is_shown_in_another_spelling(write: Callable[[str], str]) -> None:
    """A backend that answers in JSON or HTML escapes some of the signs that a password has."""
    sent = '4nn\'s "own" <&> \\ pa/ss'
    with serve(lambda _: Reply(500, write(f"no: {sent}.").encode())) as served:
        place = f"jaeger+http://ann:{quote(sent, safe='')}@{served.place}"
        with pytest.raises(SourceError, match="500") as raised:
            list(open_source(place).read_spans(refuse))
    assert "***" in str(raised.value)
    assert "4nn" not in str(raised.value)


def test_who_is_refused_is_told_how_to_say_who_it_is() -> None:
    """The message of 401 names the variables."""
    with serve(lambda _: Reply(401, b"no org id")) as served, pytest.raises(SourceError) as raised:
        list(open_source(f"tempo+http://{served.place}").read_spans(refuse))
    assert "401 and 'no org id'" in str(raised.value)
    assert "OTEL_TRAJ_TOKEN" in str(raised.value)


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("OTEL_TRAJ_HEADERS", "s3cr3t", "part 1 of OTEL_TRAJ_HEADERS has no '='"),
        ("OTEL_TRAJ_HEADERS", "a b=s3cr3t", "is no name of a header"),
        ("OTEL_TRAJ_HEADERS", "a=s3cr3t%0d%0ahost: evil", "characters that no header may have"),
        ("OTEL_TRAJ_TOKEN", "s3cr3t\nx: y", "characters that no header may have"),
    ],
)
def test_a_variable_that_cannot_be_sent_is_refused(
    variable: str, value: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named, and not shown."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(SourceError) as raised:
        list(open_source("jaeger+http://127.0.0.1:1").read_spans(refuse))
    assert words in str(raised.value)
    assert "s3cr3t" not in str(raised.value)
