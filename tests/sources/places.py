"""Every kind of source there is: how to make one that holds given spans, and what it is excused from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.sources.excuses import (
    CONSOLE_FORM,
    GIVES_ALL,
    IS_ASKED_NO_MORE,
    IS_READ_ONCE,
    LEGACY_FORM,
    TRUSTS_IDS,
)
from tests.sources.file_places import (
    FILES,
    make_directory,
    make_file,
    make_glob,
    make_stdin,
    make_tempo_answers,
)
from tests.sources.jaeger.stand_in import JaegerStandIn
from tests.sources.real_jaeger import start_with
from tests.sources.sdk import export_to_memory, to_sdk_span
from tests.sources.serving import serve
from tests.sources.tempo.stand_in import TempoStandIn

if TYPE_CHECKING:
    from collections.abc import Callable

    from otel_traj.model import Span
    from tests.sources.excuses import Excuse
    from tests.sources.rig import Rig

__all__ = ["PLACES", "WINDOW", "Place"]

WINDOW = "since=2001-09-09T01:00:00Z&until=2001-09-09T02:00:00Z"
"""Parameters of a search that finds the spans of the contract."""


class Place(NamedTuple):
    """A kind of source: how to make one that holds given spans, and what it is excused from."""

    make: Callable[[Rig, list[Span]], object]
    excuses: tuple[Excuse, ...] = ()
    is_real: bool = False
    """It needs a real Jaeger."""

    def keep(self, spans: list[Span]) -> list[Span]:
        """Return the spans as the place gives them back."""
        for excuse in self.excuses:
            spans = [excuse.keeps(span) for span in spans]
        return spans

    def find_excuse(self, promise: str) -> Excuse | None:
        """Return why a promise can't be kept here, if it can't."""
        return next((excuse for excuse in self.excuses if excuse.promise == promise), None)


def make_exporter(_: Rig, spans: list[Span]) -> object:
    """Return the SDK's in-memory exporter."""
    return export_to_memory(spans)


def make_sdk_list(_: Rig, spans: list[Span]) -> object:
    """Return a list of SDK spans."""
    return [to_sdk_span(span) for span in spans]


def make_generator(_: Rig, spans: list[Span]) -> object:
    """Return SDK spans that can be asked for once."""
    return (to_sdk_span(span) for span in spans)


def make_records(_: Rig, spans: list[Span]) -> object:
    """Return a list of our own records."""
    return list(spans)


def make_several(rig: Rig, spans: list[Span]) -> object:
    """Return a file and a list in one."""
    file = make_file("lines")(rig, spans[:3])
    return [file, spans[3:]] if spans[3:] else [file]


def make_older_jaeger(rig: Rig, spans: list[Span]) -> object:
    """Return a stand-in for Jaeger v1.76.0, searched by v3."""
    served = rig.stack.enter_context(serve(JaegerStandIn(spans)))
    return f"jaeger+http://{served.place}?{WINDOW}"


def make_newer_jaeger(rig: Rig, spans: list[Span]) -> object:
    """Return a stand-in for a Jaeger after 2.20.0."""
    served = rig.stack.enter_context(serve(JaegerStandIn(spans, line="newer")))
    return f"jaeger+http://{served.place}?{WINDOW}"


def make_legacy_jaeger(rig: Rig, spans: list[Span]) -> object:
    """Return a stand-in for Jaeger v1.76.0, asked by its legacy API alone."""
    served = rig.stack.enter_context(serve(JaegerStandIn(spans)))
    return f"jaeger+http://{served.place}?api=legacy&{WINDOW}"


def make_tempo(rig: Rig, spans: list[Span]) -> object:
    """Return a stand-in for Tempo, by its documentation."""
    served = rig.stack.enter_context(serve(TempoStandIn(spans)))
    return f"tempo+http://{served.place}?{WINDOW}"


def make_json_tempo(rig: Rig, spans: list[Span]) -> object:
    """Return a stand-in for a Tempo without v2, behind something that gives JSON only."""
    served = rig.stack.enter_context(serve(TempoStandIn(spans, has_v2=False, gives="json")))
    return f"tempo+http://{served.place}?{WINDOW}"


def make_real_jaeger(rig: Rig, spans: list[Span]) -> object:
    """Return a real Jaeger v1.76.0, searched and read by v3."""
    return f"jaeger+http://{start_with(spans, rig.folder, rig.stack).query_address}?{WINDOW}"


def make_real_legacy_jaeger(rig: Rig, spans: list[Span]) -> object:
    """Return a real Jaeger v1.76.0, searched and read by its legacy API."""
    jaeger = start_with(spans, rig.folder, rig.stack)
    return f"jaeger+http://{jaeger.query_address}?api=legacy&{WINDOW}"


FORM_EXCUSES = {"saved answer of Jaeger's legacy API": (LEGACY_FORM,), "SDK console": (CONSOLE_FORM,)}
PLACES = {
    **{form: Place(make_file(form), (GIVES_ALL, *FORM_EXCUSES.get(form, ()))) for form in FILES},
    "saved JSON answers of Tempo v2": Place(make_tempo_answers(is_json=True), (GIVES_ALL,)),
    "saved protobuf answers of Tempo v2": Place(make_tempo_answers(is_json=False), (GIVES_ALL,)),
    "directory": Place(make_directory, (GIVES_ALL,)),
    "glob": Place(make_glob, (GIVES_ALL,)),
    "stdin": Place(make_stdin, (GIVES_ALL, IS_READ_ONCE)),
    "in-memory exporter": Place(make_exporter, (GIVES_ALL,)),
    "list of SDK spans": Place(make_sdk_list, (GIVES_ALL,)),
    "generator of SDK spans": Place(make_generator, (GIVES_ALL, IS_READ_ONCE)),
    "list of Span records": Place(make_records, (GIVES_ALL, TRUSTS_IDS)),
    "several sources": Place(make_several, (GIVES_ALL, TRUSTS_IDS, IS_ASKED_NO_MORE)),
    "stand-in for Jaeger v1.76.0": Place(make_older_jaeger),
    "stand-in for Jaeger v1.76.0, legacy API": Place(make_legacy_jaeger, (LEGACY_FORM,)),
    "stand-in for Jaeger after 2.20.0": Place(make_newer_jaeger),
    "real Jaeger v1.76.0": Place(make_real_jaeger, is_real=True),
    "real Jaeger v1.76.0, legacy API": Place(make_real_legacy_jaeger, (LEGACY_FORM,), is_real=True),
    "stand-in for Tempo": Place(make_tempo),
    "stand-in for Tempo, v1 and JSON": Place(make_json_tempo),
}
