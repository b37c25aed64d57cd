"""The searches of docs/stacks.md find our runs in a real Jaeger."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

import pytest

from otel_traj import read_runs
from tests.jaeger.sending import RUN_ID, SERVICE, send_runs, send_unfinished

if TYPE_CHECKING:
    from tests.jaeger.running import Jaeger

pytestmark = pytest.mark.jaeger

PAGE = (Path(__file__).parents[2] / "docs" / "stacks.md").read_text("utf-8")
FOUND = {
    "otel_traj.case=long": {"long"},
    "langgraph.graph=seven": {"long", "short"},
    "langgraph.thread_id=mail": {"asked", "answered"},
    f"langgraph.run_id={RUN_ID}": {"long"},
    "langgraph.node=node4 langgraph.step=3": {"long"},
    "otel_traj.outcome=error": {"failed"},
    "otel_traj.outcome=cancelled": {"left"},
    "otel_traj.outcome=interrupted": {"asked"},
    "langgraph.resumed=true": {"answered"},
    "error.type=ValueError": {"failed"},
    "langgraph.attempt=2": {"failed"},
    "gen_ai.operation.name=execute_tool gen_ai.tool.name=get_weather": {"agent"},
    "otel_traj.model.tool_call_count=0": {"agent"},
}
"""What each search of the page finds, by the names that `send_runs` gives."""


def list_searches() -> list[str]:
    """Return the tags in the page's table."""
    section = PAGE.partition("## Searches in Jaeger")[2].partition("\n## ")[0]
    return re.findall(r"^\|.*\| `(.+)` \|$", section, re.MULTILINE)


def find_traces(jaeger: Jaeger, tags: str) -> set[str]:
    """Return the ids of the traces that a search by tags finds."""
    named = dict(tag.split("=", 1) for tag in tags.split())
    query = urlencode({"service": SERVICE, "tags": json.dumps(named), "limit": 100})
    status, body = jaeger.get(f"/api/traces?{query}")
    assert status == 200, body
    return {trace["traceID"] for trace in json.loads(body)["data"]}


def ask_v3(jaeger: Jaeger, **more: str) -> bytes:
    """Return what the page's command asks for."""
    now = datetime.now(UTC)
    query = {
        "query.service_name": SERVICE,
        "query.num_traces": "100",
        "query.raw_traces": "true",
        "query.start_time_min": (now - timedelta(hours=1)).isoformat(),
        "query.start_time_max": (now + timedelta(hours=1)).isoformat(),
    }
    assert all(f"-d {name}=" in PAGE for name in query)
    status, body = jaeger.get(f"/api/v3/traces?{urlencode(query | more, quote_via=quote)}")
    assert status == 200, body
    return body


def test_every_search_of_the_page_is_tried() -> None:
    """The page's table and what is expected here name the same searches."""
    assert list_searches() == list(FOUND)


def test_tags_find_the_runs_that_the_page_says(jaeger: Jaeger) -> None:
    """Each search finds exactly the runs it is about, out of seven of all kinds."""
    traces = send_runs(jaeger)
    names = {trace: name for name, trace in traces.items()}
    assert {tags: {names[each] for each in find_traces(jaeger, tags)} for tags in FOUND} == FOUND


def test_saved_answer_shows_what_is_complete(jaeger: Jaeger, tmp_path: Path) -> None:
    """A saved answer of /api/v3/traces is a source: all runs are whole, and one without its graph-run span is named."""
    send_runs(jaeger)
    path = tmp_path / "jaeger.json"
    path.write_bytes(ask_v3(jaeger))
    runs = list(read_runs(path))
    assert sorted(run.graph or "" for run in runs) == [
        "approval",
        "assistant",
        "failing",
        "left",
        "seven",
        "seven",
    ]
    assert all(run.complete and run.verified for run in runs)

    send_unfinished(jaeger)
    path.write_bytes(ask_v3(jaeger))
    incomplete = [run for run in read_runs(path) if not run.complete]
    assert [{problem.code for problem in run.problems} for run in incomplete] == [{"root_missing"}]
    assert [run.steps for run in incomplete] == [[["__start__"], ["node1"]]]


def test_v3_of_this_release_does_not_obey_attributes(jaeger: Jaeger) -> None:
    """As the page says: before 2.19 a filter by attributes changes nothing, so the older search is the one to use."""
    send_runs(jaeger)
    wanted = json.dumps({"otel_traj.case": "long"})
    found = [ask_v3(jaeger), ask_v3(jaeger, **{"query.attributes": wanted})]
    ids = [
        {
            span["traceId"]
            for resource in json.loads(body)["result"]["resourceSpans"]
            for scope in resource["scopeSpans"]
            for span in scope["spans"]
        }
        for body in found
    ]
    assert ids[0] == ids[1]
    assert len(ids[0]) == 7
