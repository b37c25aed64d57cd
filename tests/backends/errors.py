"""The one error of having and running a backend for the tests."""

from __future__ import annotations

__all__ = ["BackendError"]


class BackendError(Exception):
    """A backend can't be found, built or started; the message is one line that says why and what to do."""
