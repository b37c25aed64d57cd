"""Links beside runs."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from otel_traj.errors import TrajectoryValueError
from otel_traj.report import TraceLink
from tests.report import scenes


def test_each_placeholder_is_filled() -> None:
    """Trace, span and run are those of the graph run, the thread is the run's."""
    run = scenes.build_seven()
    [part] = run.invocations
    link = TraceLink("HTTPS://x.example:8080/{trace_id}/{span_id}?run={run_id}&thread={thread_id}#{{a}}")
    assert link.link_run(run) == [
        f"HTTPS://x.example:8080/{part.trace_id}/{part.span_id}?run={part.run_id}&thread=thread-1#%7Ba%7D"
    ]


def test_a_resumed_run_has_a_link_per_trace() -> None:
    """Each invocation of a resumed run lies in a trace of its own; equal links are given once."""
    run = scenes.build_resumed()
    assert TraceLink("http://x/{trace_id}").link_run(run) == [f"http://x/{each}" for each in run.trace_ids]
    assert TraceLink("http://x/{thread_id}").link_run(run) == ["http://x/mail"]


def test_what_is_not_known_makes_no_link() -> None:
    """A run without a thread has no link that needs one, a lost graph-run span none that names it."""
    assert TraceLink("http://x/{thread_id}").link_run(scenes.build_agent()) == []
    assert TraceLink("http://x/{span_id}").link_run(scenes.build_incomplete()) == []


@given(st.text(st.characters(), min_size=1))
def test_an_id_stays_an_id(thread: str) -> None:
    """Whatever a thread is named, the link is plain ASCII of one word, and its host is the template's."""
    [url] = TraceLink("http://host/{thread_id}/end").link_run(replace(scenes.build_seven(), thread_id=thread))
    assert url.isascii()
    assert set(url).isdisjoint(" \"'<>`|\\()[]{}\n")
    assert url.startswith("http://host/")
    assert "/" not in url.removeprefix("http://host/").removesuffix("/end")
    assert unquote(url) == f"http://host/{thread.encode('utf-8', 'replace').decode()}/end"


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("javascript:alert({trace_id})", "does not begin with http:// or https:// and a host"),
        ("data:text/html,{trace_id}", "does not begin with"),
        ("//host/{trace_id}", "does not begin with"),
        ("https:///{trace_id}", "does not begin with"),
        (" https://host/{trace_id}", "does not begin with"),
        ("https://{trace_id}/", "does not begin with"),
        ("https://host.{thread_id}/", "does not begin with"),
        ("https://host\\@{trace_id}", "does not begin with"),
        ("https://[::1/{trace_id}", "does not begin with"),
        ("https://host/", "has no placeholder"),
        (
            "https://host/{trace}",
            "has the placeholder {trace}; write an address with any of {trace_id}, {span_id}",
        ),
        ("https://host/{}", "has the placeholder {}"),
        ("https://host/{trace_id.__class__}", "has the placeholder {trace_id.__class__}"),
        ("https://host/{trace_id!r}", "has the placeholder {trace_id!r}"),
        ("https://host/{trace_id:>{run_id}}", "has the placeholder {trace_id:>{run_id}}"),
        ("https://host/{trace_id", "can't be filled"),
    ],
)
def test_what_is_no_link_is_refused(template: str, words: str) -> None:
    """Another scheme, no host, a host from a trace, another placeholder: refused, with what is allowed."""
    with pytest.raises(TrajectoryValueError) as raised:
        TraceLink(template)
    assert words in str(raised.value)
    assert "such as https://jaeger.example/trace/{trace_id}" in str(raised.value)
