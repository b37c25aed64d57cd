"""LangChain's callbacks that tell nothing about a trajectory, taken in silence whatever they are given."""

from __future__ import annotations

__all__ = ["QuietCallbacks"]


class QuietCallbacks:
    """Ignores text, retries inside a runnable, and the events of old agents (langchain-core 1.8.3)."""

    def on_text(self, *args: object, **kwargs: object) -> None:
        """Do nothing."""

    def on_retry(self, *args: object, **kwargs: object) -> None:
        """Do nothing."""

    def on_agent_action(self, *args: object, **kwargs: object) -> None:
        """Do nothing."""

    def on_agent_finish(self, *args: object, **kwargs: object) -> None:
        """Do nothing."""
