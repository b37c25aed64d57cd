"""A Tempo as a source of spans: what its search is asked, and for which tenant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import structs

from otel_traj.sources.backend.source import BackendSource
from otel_traj.sources.tempo.api import LONGEST_SEARCH_NS, TempoApi
from otel_traj.sources.tempo.traceql import make_traceql

if TYPE_CHECKING:
    from otel_traj.sources.backend.client import BackendClient
    from otel_traj.sources.backend.credentials import Credentials
    from otel_traj.sources.problems import ProblemLog
    from otel_traj.sources.protocol import SpanQuery

__all__ = ["TempoSource"]

_TENANT: Final = "x-scope-orgid"
_TENANTS: Final = re.compile(r"[!-~]+")


class TempoSource(BackendSource[str]):
    """The traces of a Tempo, over HTTP."""

    _own_parameters = ("query", "tenant")
    _longest_ns = LONGEST_SEARCH_NS

    def _open(self, client: BackendClient, log: ProblemLog) -> TempoApi:
        return TempoApi(client, log)

    def _list_questions(self, query: SpanQuery) -> list[str]:
        if query.completes:
            return [make_traceql(query, None, None)]
        return [make_traceql(query, self._address.get("query"), self._address.get("service"))]

    def _check_name(self) -> None:
        super()._check_name()
        tenant = self._address.get("tenant")
        if tenant is not None and not _TENANTS.fullmatch(tenant):
            raise self._address.refuse(
                f"tenant={tenant!r} has signs that no tenant's name may have; give it as Tempo knows it, in ASCII and "
                "without blanks"
            )

    def _read_credentials(self) -> Credentials:
        credentials = super()._read_credentials()
        tenant = self._address.get("tenant")
        if tenant is None:
            return credentials
        return structs.replace(credentials, headers={**credentials.headers, _TENANT: tenant})
