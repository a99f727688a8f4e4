"""Durations as the service writes them, and how long an ask may take."""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass
from datetime import datetime, timezone

from .errors import Unavailable

Park = bool | str
"""How long a call waits before it parks."""
_PARK = "55s"
_WITHDRAW_SECONDS = 5.0
MARGIN_SECONDS = 30.0
_SHORTEST_SECONDS = 0.25
"""Also a caller that was held up past its limit tries to withdraw."""


@dataclass(frozen=True)
class Times:
    timeout: str
    limit: str | None

    def __post_init__(self) -> None:
        """Raises `Unavailable` for what is no duration."""
        seconds_of(self.timeout, "timeout")
        if self.limit is not None:
            seconds_of(self.limit, "limit")

    def timeout_of(self, given: str | None, parked: str | None) -> str:
        """Reviewers never have longer than the caller asks, unless the call parks."""
        timeout = self.timeout if given is None else given
        if self.limit is None or parked is not None:
            return timeout
        limit = seconds_of(self.limit, "limit")
        # Their time ends first, so that the caller hears that no one decided.
        seconds = limit - 2 * _reserve_of(limit)
        if seconds >= seconds_of(timeout, "timeout"):
            return timeout
        return f"{max(1, math.floor(seconds))}s"

    def limits(self, timeout: str | None, parked: str | None = None) -> tuple[float, float]:
        """When the asking ends, and when all ends."""
        limit = parked or self.limit
        if limit is None:
            given = self.timeout if timeout is None else timeout
            seconds = seconds_of(given, "timeout") + MARGIN_SECONDS
        else:
            seconds = seconds_of(limit, "limit")
        end = time.monotonic() + seconds
        return end - _reserve_of(seconds), end

    def settled_until(self, deadline_at: datetime, until: float) -> float:
        """Without a limit, `settle` waits as long as reviewers have."""
        if self.limit is not None:
            return until
        left = (deadline_at - datetime.now(timezone.utc)).total_seconds()
        return max(until, time.monotonic() + left + MARGIN_SECONDS)


def park_of(park: Park) -> str | None:
    if park is False:
        return None
    parked = _PARK if park is True else park
    seconds_of(parked, "park")
    return parked


def last_moments(end: float | None = None) -> float:
    """The time to withdraw, in what is left of the limit."""
    now = time.monotonic()
    latest = now + _WITHDRAW_SECONDS
    return max(now + _SHORTEST_SECONDS, latest if end is None else min(latest, end))


def _reserve_of(limit: float) -> float:
    """Of a limit, the time for withdrawing."""
    return min(_WITHDRAW_SECONDS, limit / 4)


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
