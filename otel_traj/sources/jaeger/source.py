"""A Jaeger as a source of spans: what its search is asked, and by which of its APIs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.sources.backend.source import BackendSource
from otel_traj.sources.jaeger.api import JaegerApi
from otel_traj.sources.jaeger.search import Search, list_searches

if TYPE_CHECKING:
    from otel_traj.sources.backend.client import BackendClient
    from otel_traj.sources.problems import ProblemLog
    from otel_traj.sources.protocol import SpanQuery

__all__ = ["JaegerSource"]

_APIS: Final = ("auto", "legacy")


class JaegerSource(BackendSource[Search]):
    """The traces of a Jaeger, over HTTP."""

    _own_parameters = ("operation", "tag", "api")
    _own_repeatable = ("tag",)

    def _open(self, client: BackendClient, log: ProblemLog) -> JaegerApi:
        return JaegerApi(client, log, is_legacy=self._read_api() == "legacy")

    def _list_questions(self, query: SpanQuery) -> list[Search]:
        return list_searches(self._address, query)

    def _check_name(self) -> None:
        super()._check_name()
        self._read_api()

    def _read_api(self) -> str:
        api = self._address.get("api") or "auto"
        if api not in _APIS:
            raise self._address.refuse(
                f"api={api!r} is none; give one of {', '.join(_APIS)}, or leave it out"
            )
        return api
