"""A link beside each run: the user's template, filled with the ids of the run.

The ids come from traces, and a link is followed with a click. So only http and https are links, the host is the
template's own, and every character of an id that means something in an address is quoted.
"""

from __future__ import annotations

import re
from string import Formatter
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from otel_traj.errors import TrajectoryValueError

if TYPE_CHECKING:
    from otel_traj.model import Run

__all__ = ["PLACEHOLDERS", "TraceLink"]

PLACEHOLDERS: Final = ("trace_id", "span_id", "run_id", "thread_id")
"""What a template may hold: of each invocation its trace, the span of its graph run and its callback run; the
thread."""

_KEPT: Final = "!#$%&'*+,/:;=?@~"
"""What of an address's own characters is safe in every form of a report."""
_EXAMPLE: Final = "https://jaeger.example/trace/{trace_id}"
_HOST: Final = re.compile(r"https?://[^/?#\\{}\s]+", re.IGNORECASE)


class TraceLink:
    """Makes links; `link_run` gives those of a run."""

    __slots__ = ("_parts",)

    def __init__(self, template: str) -> None:
        """Check a template.

        Args:
            template: An address with placeholders in braces; a brace of its own is written twice.

        Raises:
            TrajectoryValueError: It is no http(s) address, or has another placeholder, one in its host, or none.
        """
        try:
            parts = list(Formatter().parse(template))
        except ValueError as error:
            raise _refuse(template, f"can't be filled ({error})") from error
        for _, name, form, conversion in parts:
            if name is not None and (name not in PLACEHOLDERS or form or conversion):
                raise _refuse(template, f"has the placeholder {_show_placeholder(name, form, conversion)}")
        if not any(name for _, name, _, _ in parts):
            raise _refuse(template, "has no placeholder, so that it is the same for every run")
        if not _is_address(template):
            raise _refuse(template, "does not begin with http:// or https:// and a host")
        self._parts = [(quote(literal, safe=_KEPT), name) for literal, name, _, _ in parts]

    def link_run(self, run: Run) -> list[str]:
        """Return the links of a run, one per invocation, equal ones once.

        Args:
            run: Any run.

        Returns:
            ASCII without white space, quotes, brackets, bars and backslashes. An invocation that lacks what the
            template asks for (no thread, a lost graph-run span) has none.
        """
        links: dict[str, None] = {}
        for invocation in run.invocations:
            ids = {
                "trace_id": invocation.trace_id,
                "span_id": invocation.span_id,
                "run_id": invocation.run_id,
                "thread_id": run.thread_id,
            }
            if all(ids[name] for _, name in self._parts if name is not None):
                links["".join(self._fill(ids))] = None
        return list(links)

    def _fill(self, ids: dict[str, str | None]) -> list[str]:
        pieces: list[str] = []
        for literal, name in self._parts:
            pieces += [literal, quote(ids[name] or "", safe="", errors="replace") if name else ""]
        return pieces


def _is_address(template: str) -> bool:
    host = _HOST.match(template)
    if host is None:
        return False
    rest = template[host.end() :]
    try:
        return bool(urlsplit(host[0]).hostname) and (not rest or rest[0] in "/?#")
    except ValueError:
        return False


def _show_placeholder(name: str, form: str | None, conversion: str | None) -> str:
    return "{" + name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "") + "}"


def _refuse(template: str, reason: str) -> TrajectoryValueError:
    allowed = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    return TrajectoryValueError(
        f"the link {template!r} {reason}; write an address with any of {allowed}, such as {_EXAMPLE}"
    )
