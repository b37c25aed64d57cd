"""Cut a text to a number of bytes, the head and the tail kept.

Exporters and backends count bytes and cut where they please; a text that is short enough when it leaves stays
whole, and one that is not says so itself.
"""

from __future__ import annotations

from otel_traj.rendering import CUT_MARK

__all__ = ["cap_text"]


def cap_text(text: str, max_bytes: int | None) -> str:
    """Return a text of at most so many UTF-8 bytes.

    Args:
        text: Any text that has a UTF-8 form.
        max_bytes: The most bytes, room for `CUT_MARK` included; None for any number.

    Returns:
        The text itself where it is short enough; else its head and tail, whole characters only, and between them
        `CUT_MARK` with the number of bytes left out.
    """
    if max_bytes is None or 4 * len(text) <= max_bytes or (text.isascii() and len(text) <= max_bytes):
        return text
    encoded = text.encode()
    if len(encoded) <= max_bytes:
        return text
    room = max(0, max_bytes - len(_mark(len(encoded))))
    head = encoded[: room // 2].decode(errors="ignore")
    tail = encoded[len(encoded) - (room - room // 2) :].decode(errors="ignore") if room else ""
    left_out = len(encoded) - len(head.encode()) - len(tail.encode())
    return f"{head}{_mark(left_out)}{tail}"


def _mark(count: int) -> str:
    return f"{CUT_MARK}{count} bytes]"
