"""Jaeger: its legacy JSON, what its warnings mean, and the place itself."""

from __future__ import annotations

__all__: list[str] = []
