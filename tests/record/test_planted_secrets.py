"""No secret leaves: searched for in the exported bytes, wherever a program can put one."""

from __future__ import annotations

import base64
import json
import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from google.protobuf.json_format import MessageToJson
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

from otel_traj import ContentPolicy, read_runs
from otel_traj import semconv as sc
from otel_traj.record.content_option import CAPTURE_VARIABLE
from tests.missing_api import list_missing
from tests.record.leaking_graphs import LEAKING
from tests.record.leaks import KEYED, PLANTED, WAYS, Way, record_agent, record_everything
from tests.record.recording import Recording

if TYPE_CHECKING:
    from tests.record.leaking_graphs import Leaking

MASKED = ContentPolicy(
    mask_keys=("api_*", "authorization"), mask_patterns=("pl4nt[a-z]+",), mask="***", max_bytes=None
)
PROGRAMS: dict[str, Leaking] = {"graph": record_everything, "agent": record_agent, **LEAKING}
NEEDING_AGENTS = ("agent", "structured answer")
every_way = pytest.mark.parametrize("way", WAYS)
every_program = pytest.mark.parametrize("name", PROGRAMS)


def list_found(recording: Recording) -> list[str]:
    """Return the secrets that stand in the exported spans, each as it is written there."""
    request = encode_spans(recording.spans)
    forms = [
        request.SerializeToString(),
        MessageToJson(request).encode(),
        *(span.to_json().encode() for span in recording.spans),
    ]
    shown = b"".join(forms).lower()
    return [spelling.decode() for spelling in SPELLINGS if spelling in shown]


def list_spellings(secret: str) -> list[bytes]:
    """Return how a text may be written; escapes of JSON, URLs and `repr` leave these letters as they are."""
    text = secret.encode()
    spellings = [
        text,
        text[::-1],
        secret.encode("utf-16-le"),
        secret.encode("utf-32-le"),
        text.hex().encode(),
    ]
    for before in range(3):
        # In base64 a text looks otherwise wherever it begins; its first and last letters may be its neighbours' too.
        encoded = base64.b64encode(b"." * before + text)
        spellings.append(encoded[(before * 8 + 5) // 6 : (before + len(text)) * 8 // 6].lower())
    return spellings


SPELLINGS = [spelling for secret in (PLANTED, KEYED) for spelling in list_spellings(secret)]


def record_program(name: str, recording: Recording, way: Way) -> None:
    """Run a program; skip the agents where LangChain has none."""
    if name in NEEDING_AGENTS:
        missing = list_missing("agent spans")
        if missing:
            pytest.skip(f"agent spans: the installed versions lack {', '.join(missing)}")
    PROGRAMS[name](recording, way)
    assert len(recording.tasks) >= 1
    assert recording.is_empty()


@pytest.mark.parametrize("around", ["", "x", "xy", "xyz"])
def test_search_finds_every_spelling(around: str) -> None:
    """A secret is found in text, JSON in JSON, `repr`, URLs, hex, UTF-16 and base64, wherever in it it stands."""
    text = f'"{around}é{PLANTED}\\\n{around}'
    texts = [json.dumps(json.dumps(text)), repr(text), repr(text.encode()), quote(text), text.upper()]
    texts += [text.encode().hex(), base64.b64encode(text.encode()).decode()]
    for each in texts:
        assert any(spelling in each.encode().lower() for spelling in list_spellings(PLANTED)), each
    assert any(spelling in text.encode("utf-16") for spelling in list_spellings(PLANTED))


@every_way
@every_program
def test_without_content_no_secret_leaves(name: str, way: Way, caplog: pytest.LogCaptureFixture) -> None:
    """By default no string of content is in the exported bytes or in our log, whatever way a program runs."""
    recording = Recording()
    record_program(name, recording, way)
    assert list_found(recording) == []
    assert_nothing_logged(caplog)


@every_program
@pytest.mark.parametrize(
    "options",
    [{"inner": True}, {"models": False, "tools": False}, {"metadata_keys": ("user_id",)}],
    ids=["inner", "no calls", "metadata"],
)
def test_no_option_lets_a_secret_out(
    name: str, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Spans of inner runnables, spans that are left out, and other metadata keys are no way out either."""
    recording = Recording(**options)
    record_program(name, recording, "stream")
    assert list_found(recording) == []
    assert_nothing_logged(caplog)


def assert_nothing_logged(caplog: pytest.LogCaptureFixture) -> None:
    """No secret is in what we logged, or in what was logged of us, tracebacks included."""
    formatter = logging.Formatter("%(message)s")
    ours = [
        each for each in caplog.records if each.name.startswith(("otel_traj", "langchain_core.callbacks"))
    ]
    said = "".join(formatter.format(each) for each in ours)
    assert [secret for secret in (PLANTED, KEYED) if secret in said] == []


@every_way
@every_program
def test_masks_hide_every_secret(name: str, way: Way) -> None:
    """With content on and masks set, no secret is there at any depth; what is no secret is."""
    recording = Recording(content=MASKED)
    record_program(name, recording, way)
    assert list_found(recording) == []
    shown = "".join(span.to_json() for span in recording.spans)
    assert shown.count("***") > 5
    assert sc.INPUTS in shown
    assert recording.handler.counters == dict.fromkeys(recording.handler.counters, 0)


@every_program
def test_the_secrets_are_really_there(name: str) -> None:
    """Content without masks shows both secrets: the searches above would find them."""
    recording = Recording(content=ContentPolicy(max_bytes=None))
    record_program(name, recording, "invoke")
    assert {PLANTED, KEYED} <= set(list_found(recording))


@every_program
def test_masks_and_caps_change_no_trajectory(name: str) -> None:
    """Runs read back are the same, and verified, with content off, whole, masked, and cut to nearly nothing."""
    policies = [False, ContentPolicy(max_bytes=None), MASKED, ContentPolicy(mask_keys=["*"], max_bytes=64)]
    read = []
    for policy in policies:
        recording = Recording(content=policy)
        record_program(name, recording, "invoke")
        runs = list(read_runs(recording.spans))
        assert all(run.verified for run in runs)
        chosen = [
            [(call.name, call.id) for call in each.tool_calls or ()]
            for run in runs
            for each in run.model_calls
        ]
        read.append(([run.steps for run in runs], [run.status for run in runs], chosen))
    assert read[1:] == [read[0]] * 3


def test_environment_does_not_reach_a_handler_that_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """`content=False` holds where the environment asks for content."""
    monkeypatch.setenv(CAPTURE_VARIABLE, "SPAN_AND_EVENT")
    recording = Recording(content=False)
    record_everything(recording, "invoke")
    assert list_found(recording) == []
