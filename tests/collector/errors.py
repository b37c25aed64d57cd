"""The one error of having and running a collector for the tests."""

from __future__ import annotations

__all__ = ["CollectorError"]


class CollectorError(Exception):
    """A collector can't be found, built or started; the message is one line that says why and what to do."""
