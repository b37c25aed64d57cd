"""What a collector shows to Prometheus, and the names that it gives to the metrics by node."""

from __future__ import annotations

import http.client
import re
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Series", "parse_series", "scrape", "scrape_until"]

_LINE = re.compile(r"^(?P<name>[a-zA-Z_:][\w:]*)(?:\{(?P<labels>.*)\})? (?P<value>\S+)", re.ASCII)
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Series(NamedTuple):
    """One line of the text format."""

    name: str
    labels: dict[str, str]
    value: float


def scrape(address: tuple[str, int]) -> list[Series]:
    """Return what stands at `/metrics`."""
    connection = http.client.HTTPConnection(*address, timeout=30)
    try:
        connection.request("GET", "/metrics")
        shown = connection.getresponse().read().decode()
    finally:
        connection.close()
    return parse_series(shown)


def parse_series(shown: str) -> list[Series]:
    """Return the series of Prometheus' text format."""
    found = (_LINE.match(line) for line in shown.splitlines())
    return [
        Series(line["name"], dict(_LABEL.findall(line["labels"] or "")), float(line["value"]))
        for line in found
        if line
    ]


def scrape_until(address: tuple[str, int], is_there: Callable[[list[Series]], object]) -> list[Series]:
    """Return the first answer that holds what is waited for; fail after half a minute."""
    deadline = time.monotonic() + 30
    while not is_there(series := scrape(address)):
        assert time.monotonic() < deadline, series
        time.sleep(0.1)
    return series
