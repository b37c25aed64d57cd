"""What reading from a backend over HTTP needs, whichever it is: its name, credentials, one client, time windows."""

from __future__ import annotations

__all__: list[str] = []
