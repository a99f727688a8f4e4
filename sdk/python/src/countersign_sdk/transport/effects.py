"""
What the steps of a call need from outside. Steps are generators, so that there is one text of them
for both clients: each effect is performed by `drivers.py`, and its result or error comes back.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ..errors import NotApproved


@dataclass(frozen=True)
class Send:
    """One try of a call over HTTP. The result is a `Reply`. Raises `Lost`."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: str | None
    seconds: float


@dataclass(frozen=True)
class Reply:
    status: int
    retry_after: str | None
    body: bytes | None
    """None where the response is not JSON, or says to try again."""


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Join:
    """Waits for what others wait for, too. Raises `OutOfTime`, and what the future raises."""

    future: concurrent.futures.Future[Any]
    seconds: float


@dataclass(frozen=True)
class Invoke:
    """Calls the caller's own code. An awaitable is awaited by the asynchronous client."""

    function: Callable[[], Awaitable[Any] | Any]
    until: float
    """Of `time.monotonic()`. Raises `OutOfTime`."""


Effect = Send | Pause | Join | Invoke
T = TypeVar("T")
Steps = Generator[Effect, Any, T]


class Lost(Exception):
    """There was no response. Another try can help."""


class OutOfTime(Exception):
    """The seconds of an effect are over."""


class Stopped(NotApproved):
    """The caller set `cancel`."""

    def __init__(self) -> None:
        super().__init__("cancelled")

    def __reduce__(self) -> tuple[type[NotApproved], tuple[object, ...]]:
        return NotApproved, ("cancelled",)


def is_abort(error: BaseException) -> bool:
    """The caller does not wait any more: `cancel`, a cancelled task, Ctrl-C."""
    return isinstance(error, Stopped) or not isinstance(error, Exception)
