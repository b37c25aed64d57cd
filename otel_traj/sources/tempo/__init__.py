"""Grafana Tempo, by its documentation: its search language, its answers, and the place itself."""

from __future__ import annotations

__all__: list[str] = []
