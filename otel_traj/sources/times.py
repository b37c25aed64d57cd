"""Points in time as a person writes them, to the nanosecond: Python's own reading ends at microseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from otel_traj.errors import TrajectoryValueError

__all__ = ["format_time", "parse_duration", "parse_time"]

_BACK: Final = re.compile(r"(\d{1,9})([smhd])\Z")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_NANOSECONDS: Final = re.compile(r"[.,][0-9]{6}([0-9]{1,3})[0-9]*(?=[Zz+-])")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def parse_time(text: str | datetime) -> int:
    """Return a point in time in nanoseconds since the epoch.

    Args:
        text: `2026-11-30T09:00:00Z` and its like, `15m`, `2h`, `7d` back from now, or an aware datetime.

    Raises:
        TrajectoryValueError: It is none of these.
    """
    try:
        if isinstance(text, str) and (back := _BACK.match(text)):
            moment = datetime.now(UTC) - timedelta(**{_UNITS[back[2]]: int(back[1])})
        else:
            moment = datetime.fromisoformat(text) if isinstance(text, str) else text
        if moment.utcoffset() is None:
            raise ValueError("it has no UTC offset")  # noqa: TRY301 - one place words the error
    except (ValueError, OverflowError) as error:
        message = (
            f"{text!r} is no point in time that can be used ({error}). Write an RFC 3339 time with its offset, such "
            f"as 2026-11-30T09:00:00Z, or 30s, 15m, 2h or 7d back from now."
        )
        raise TrajectoryValueError(message) from error
    below = _NANOSECONDS.search(text) if isinstance(text, str) else None
    nanoseconds = int(below[1].ljust(3, "0")) if below else 0
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1_000 + nanoseconds


def parse_duration(text: str) -> int:
    """Return a length of time in nanoseconds.

    Args:
        text: `30s`, `15m`, `2h` or `7d`.

    Raises:
        TrajectoryValueError: It is none of these.
    """
    back = _BACK.match(text)
    if back is None:
        raise TrajectoryValueError(f"{text!r} is no length of time. Write 30s, 15m, 2h or 7d.")
    return timedelta(**{_UNITS[back[2]]: int(back[1])}) // timedelta(microseconds=1) * 1_000


def format_time(time_ns: int) -> str:
    """Return a point in time in RFC 3339, nanoseconds where it has any.

    Args:
        time_ns: Nanoseconds since the epoch, of the years 1 to 9999.
    """
    seconds, nanoseconds = divmod(time_ns, 1_000_000_000)
    moment = (_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=None)
    fraction = f".{nanoseconds:09}" if nanoseconds else ""
    return f"{moment.isoformat()}{fraction}Z"
