"""Durations as the service writes them: `30s`, `15m`, `2h`."""

from __future__ import annotations

import re

from .errors import Unavailable

_LONGEST = 500 * 3_600
"""As in the SDK for TypeScript."""

_SECONDS = {"s": 1, "m": 60, "h": 3_600}


def seconds_of(duration: str, what: str) -> int:
    found = re.fullmatch("([1-9][0-9]{0,6})([smh])", duration) if _is_text(duration) else None
    if not found:
        raise Unavailable(
            "configuration", f"{what} must be a duration such as 15m, not {duration!r}."
        )
    seconds = int(found[1]) * _SECONDS[found[2]]
    if seconds > _LONGEST:
        raise Unavailable("configuration", f"{what} must be at most 500h, not {duration}.")
    return seconds


def _is_text(value: object) -> bool:
    return isinstance(value, str)
