"""Equal calls that park at the same time share one request, in all clients of this process."""

from __future__ import annotations

import os
import threading
import time


class _Group:
    def __init__(self) -> None:
        self.callers = 0
        self.paths: dict[str, str] = {}
        """
        What the last caller withdraws, each with the token that asked: a caller may have left
        before it knew the request.
        """


class _Shared:
    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.lock = threading.Lock()
        self.groups: dict[tuple[str, ...], _Group] = {}
        self.told: dict[str, float] = {}
        """Requests of which a client heard, and when to forget it."""


_shared = _Shared()
if hasattr(os, "register_at_fork"):
    # A child has none of the callers.
    os.register_at_fork(after_in_child=_shared.forget)


class Place:
    """Of one caller. `None` is the name of a call that shares nothing."""

    def __init__(self, name: tuple[str, ...] | None) -> None:
        self._name = name
        self._group: _Group | None = _Group()
        with _shared.lock:
            if name is not None:
                self._group = _shared.groups.setdefault(name, self._group)
            self._group.callers += 1

    def leave(self, path: str | None = None, token: str = "") -> dict[str, str] | None:
        """
        What to withdraw, with `path`, and the tokens for it. None where others go on waiting. Only
        once.
        """
        with _shared.lock:
            group, self._group = self._group, None
            if group is None:
                return None
            if path is not None:
                group.paths[path] = token
            group.callers -= 1
            if group.callers > 0:
                return None
            if self._name is not None and _shared.groups.get(self._name) is group:
                del _shared.groups[self._name]
            return group.paths


def is_first_to_tell(request_id: str, seconds: float) -> bool:
    """For `seconds`, only the first caller tells of a request."""
    now = time.monotonic()
    with _shared.lock:
        for old in [each for each, end in _shared.told.items() if end < now]:
            del _shared.told[old]
        is_first = request_id not in _shared.told
        _shared.told.setdefault(request_id, now + seconds)
        return is_first


def was_not_told(request_id: str) -> None:
    with _shared.lock:
        _shared.told.pop(request_id, None)
