from __future__ import annotations

import contextlib
import traceback
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.errors import SourceError
from otel_traj.sources import open_source
from otel_traj.sources.backend.address import hide_user, parse_address

ALLOWED = ("service", "tag", "limit", "since", "until", "lookback", "insecure")


def parse(name: str) -> object:
    """Return an address of which `tag` may be given twice."""
    return parse_address(name, allowed=ALLOWED, repeatable=("tag",))


def test_a_name_is_taken_apart() -> None:
    """Scheme, host, port, base path, user and parameters; values are unquoted, and a plus stays one."""
    address = parse_address(
        "jaeger+https://ann:p%40ss@[::1]:16686/base/?service=a%26b&tag=k=v&tag=l=%2B+&since=2h",
        allowed=ALLOWED,
        repeatable=("tag",),
    )
    assert (address.url, address.user, address.password) == ("https://[::1]:16686/base", "ann", "p@ss")
    assert (address.get("service"), address.get_all("tag")) == ("a&b", ("k=v", "l=++"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("jaeger+http://", "names no host"),
        ("jaeger+http:///base", "names no host"),
        ("jaeger+http://host:port", "is no address"),
        ("jaeger+http://host:99999", "is no address"),
        ("jaeger+http://[::1", "is no address"),
        ("jaeger+http://host#part", "holds a '#'"),
        ("jaeger+http://host?servce=x", "no parameter 'servce'; there are insecure, limit, lookback"),
        ("jaeger+http://host?service=a&b", "a & inside a value is written %26"),
        ("jaeger+http://host?service=", "'service' is empty"),
        ("jaeger+http://host?service=a&service=b", "'service' is given twice"),
        ("jaeger+http://ann:hunter\udcff@host", "bytes that are no UTF-8"),
        ("jaeger+http://host?service=\udcff", "bytes that are no UTF-8"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(name: str, words: str) -> None:
    """With what was found and what is allowed."""
    with pytest.raises(SourceError) as raised:
        parse(name)
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("jaeger+http://h?limit=0", "is no number of traces"),
        ("jaeger+http://h?limit=9999999999999", "is no number of traces"),
        ("jaeger+http://h?limit=ten", "is no number of traces"),
        ("jaeger+http://h?since=yesterday", "is no point in time"),
        ("jaeger+http://h?since=1h&lookback=1h", "both say where to begin"),
        ("jaeger+http://h?lookback=1", "is no length of time"),
        ("jaeger+http://h?since=1h&until=2h", "ends before it begins"),
        ("tempo+http://h?until=1960-01-01T00:00:00Z", "ends before it begins (or before 1970)"),
        ("jaeger+http://h?lookback=1d&until=0001-01-01T00:00:00Z", "ends before it begins (or before 1970)"),
        ("jaeger+http://h/base?nonsense=a@b", "an '@' stands behind a '/', '?' or '#'"),
        ("jaeger+http://h?12%40secret", "it has no parameter of such a name; there are api"),
        ("jaeger+http://h?insecure=perhaps", "neither true nor false"),
        ("jaeger+http://h?tag=k", "is no key=value"),
        ("jaeger+http://h?trace=xyz", "is no trace id"),
        ("jaeger+http://h?api=v9", "api='v9' is none; give one of auto, legacy"),
        ("tempo+http://h?operation=x", "no parameter 'operation'; there are insecure, limit"),
        ("tempo+http://h?trace=0", "is no trace id"),
        ("tempo+http://h?tenant=\u00e4", "tenant='\u00e4' has signs that no tenant's name may have"),
        ("tempo+http://h?tenant=a%0Ab", "tenant='a\\nb' has signs that no tenant's name may have"),
        ("tempo+http://h?tenant=%20", "tenant=' ' has signs"),
        ("jaeger://h", "no source with the scheme 'jaeger'"),
        ("http://h:16686", "write jaeger+http://h:16686 or tempo+http://h:16686 if one of these is there"),
        ("HTTPS://ann:secret@h/base", "write jaeger+https://h/base or tempo+https://h/base if"),
        ("jaeger://h:16686/base", "write jaeger+http://h:16686/base if"),
        ("tempo://h?limit=5", "write tempo+http://h?limit=5 if"),
        ("jaeger+http://http://h:16686", "'http:' stands where the host should; write jaeger+http://h:16686"),
        ("tempo+http://HTTPS://u:p@h/b", "'https:' stands where the host should; write tempo+https://h/b"),
    ],
)
def test_parameters_are_checked_when_the_name_is_opened(name: str, words: str) -> None:
    """Before anything is asked, so that a long reading does not end in a misspelling."""
    with pytest.raises(SourceError) as raised:
        open_source(name)
    assert words in str(raised.value)


SCHEMES = (
    "jaeger+http://",
    "tempo+https://",
    "jaeger://",
    "tempo://",
    "ftp://",
    "http://",
    " jaeger+http://",
)
MISSPELT = ("jaeger_http://", "jaeger+http:/", "jaeger+http:", "http:/", "tempo+http//", "")


PASSWORDS = (
    *("hun?ter2", "hun#ter2", "12?hunter2", "12#hunter2", "hun/ter2", "hun:ter2", "hun?a:ter2", "hun/a#ter2"),
    *(
        "hun@ter2",
        "hun/a?b@ter2",
        "hun@a/ter2",
        "hun?a=ter2",
        "hun%3Fter2",
        "hun%40ter2",
        "hun ter2",
        "hun*ter2",
    ),
)
BEHIND = ("@host:16686", "@host/base?limit=5", "%40host:16686", "@", "@host?service=a@b")


@pytest.mark.parametrize("scheme", SCHEMES + MISSPELT)
def test_no_part_of_a_password_is_shown(scheme: str) -> None:
    """Whatever signs it holds, escaped or not, and however the scheme is spelt."""
    names = [f"{scheme}ann:{password}{behind}" for password in PASSWORDS for behind in BEHIND]
    for source in (*names, *map(Path, names)):
        try:
            shown = open_source(source).name
        except SourceError as error:
            shown = str(error) + error.source + "".join(traceback.format_exception(error))
        assert "hun" not in shown
        assert "ter2" not in shown


def test_a_file_that_is_there_is_called_by_its_name(tmp_path: Path) -> None:
    """A colon and an `@` alone make no password."""
    path = tmp_path / "run:1@host.jsonl"
    path.write_text("")
    assert open_source(str(path)).name == str(path)


def test_an_at_in_a_value_is_no_end_of_a_password() -> None:
    """The name stays what it is, and without a password says where it is."""
    name = "jaeger+http://host:16686/base?service=a@b&tag=mail=c@d"
    assert open_source(name).name == name


def test_what_stands_where_the_port_should_is_hidden() -> None:
    """A user and password without a host look like one with a port."""
    with pytest.raises(SourceError, match=r"'jaeger\+http://ann:\*\*\*' is no address") as raised:
        open_source("jaeger+http://ann:hunter2")
    assert "hunter2" not in "".join(traceback.format_exception(raised.value)).replace(
        "jaeger+http://ann:hunter2", ""
    )


@pytest.mark.parametrize(
    "name",
    [
        "jaeger+http://ann:hunter2@host:16686",
        "jaeger+http://ann:hunter2@host:port",
        "jaeger+http://ann:hunter2@",
        "jaeger+http://ann:hunter2@host?nonsense=1",
        "jaeger+http://ann:hun/ter2@host",
        "jaeger+http://ann:hun@ter2@host/base",
        "http://ann:hunter2@host:16686",
        "tempo+https://ann:hunter2@host?limit=none",
    ],
)
def test_a_password_is_never_shown(name: str) -> None:
    """Not in the source's name, not in an error, not in its traceback."""
    shown = hide_user(name)
    try:
        shown += open_source(name).name
    except SourceError as error:
        shown += str(error) + error.source + "".join(traceback.format_exception(error))
    shown = shown.replace(name, "")  # the line of this test's own call
    assert "hun" not in shown
    assert "ter2" not in shown
    assert "ann:" not in shown


@given(
    st.text(alphabet="abc:/?#[]@&=+%.0159 \x00\n\u00fc\udcff", max_size=40),
    st.sampled_from(["jaeger", "tempo"]),
)
def test_any_name_is_opened_or_refused(rest: str, kind: str) -> None:
    """Nothing but an error of ours, whatever is typed."""
    with contextlib.suppress(SourceError):
        open_source(f"{kind}+http://{rest}")
