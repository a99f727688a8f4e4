"""
Where the service answers, and with which token to ask: options, the environment, the file of
`countersign enroll`, or a fleet's token.
"""

from __future__ import annotations

import concurrent.futures
import json
import os
import re
import threading
import time
import uuid
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from ..errors import Unavailable
from ..exact import members_of, string_of
from .drivers import drive_async, in_background
from .effects import Join, OutOfTime, Steps, is_abort
from .service import ServiceCall, address_of, call_service, too_late


class Credentials(Protocol):
    url: str
    agent: tuple[str, ...]
    """Who asks. It stays the same when a token is renewed."""

    def token(self, seconds: float, until: float) -> Steps[str]:
        """Works at least `seconds` longer, where credentials live that long."""


def credentials_for(url: str | None, token: str | None, provisioner: str | None) -> Credentials:
    """Raises `Unavailable` when nothing says where and how to ask."""
    env = os.environ.get
    given_url = env("COUNTERSIGN_URL") if url is None else url
    given_token = env("COUNTERSIGN_TOKEN") if token is None else token
    needs_file = not given_url or not (given_token if provisioner is None else True)
    file = _enrolled(env("COUNTERSIGN_CREDENTIAL")) if needs_file else None
    # An address that was given as an option is never replaced.
    at = given_url or (file and url is None and file.url)
    if not at:
        raise Unavailable(
            "configuration",
            "Say where Countersign answers: with url, COUNTERSIGN_URL, or by countersign enroll.",
        )
    address = address_of(at)
    if provisioner is not None and token is None:
        return _Fleet(address, provisioner)
    used = given_token or (file and token is None and file.token)
    if not used:
        raise Unavailable(
            "configuration",
            "Give a token: with token, COUNTERSIGN_TOKEN, or by countersign enroll.",
        )
    _require_token(used)
    if file and used == file.token and address_of(file.url) != address:
        raise Unavailable(
            "configuration",
            f"The token of countersign enroll is for {file.url}, not for {address}. "
            "Give a token for this address.",
        )
    names = file.names if file and used == file.token else ()
    return _Fixed(address, used, (address, *names) if names else (address, used))


def _require_token(token: str) -> None:
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise Unavailable("configuration", "The token has characters that no token has.")


@dataclass(frozen=True)
class _Enrolled:
    url: str
    token: str
    names: tuple[str, ...]
    """Of the agent and the instance, where the file has them."""


def _enrolled(given: str | None) -> _Enrolled | None:
    path = Path.home() / ".config" / "countersign-credential" if given is None else Path(given)
    try:
        written = json.loads(path.read_text("utf-8"))
        url, token = written["url"], written["token"]
        if isinstance(url, str) and isinstance(token, str):
            names = tuple(written.get(each) for each in ("agent", "instance"))
            has_names = all(isinstance(each, str) for each in names)
            return _Enrolled(url, token, names if has_names else ())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError):
        pass
    raise Unavailable(
        "configuration", f"{path} cannot be read, or is no file of countersign enroll."
    )


class _Fixed:
    def __init__(self, url: str, token: str, agent: tuple[str, ...]) -> None:
        self.url = url
        self.agent = agent
        self._token = token

    def token(self, seconds: float, until: float) -> Steps[str]:
        return self._token
        yield


@dataclass(frozen=True)
class _Made:
    token: str
    life: float
    """In seconds."""
    ends_at: float
    """Of `time.monotonic()`."""


_MAKING_SECONDS = 60.0


class _Fleet:
    """
    A credential that ends soon is replaced before the next request, which then belongs to a new
    instance.
    """

    def __init__(self, url: str, provisioner: str) -> None:
        _require_token(provisioner)
        self.url = url
        self.agent: tuple[str, ...] = (url, provisioner)
        self._provisioner = provisioner
        self._lock = threading.Lock()
        self._held: tuple[int, concurrent.futures.Future[_Made]] | None = None

    def token(self, seconds: float, until: float) -> Steps[str]:
        while True:
            making = self._making()
            try:
                made: _Made = yield Join(making, until - time.monotonic())
            except OutOfTime:
                raise too_late() from None
            except Exception as error:
                if is_abort(error):
                    raise
                self._drop(making)
                is_away = isinstance(error, Unavailable) and error.reason == "unreachable"
                if not is_away or time.monotonic() >= until:
                    raise
                continue
            # One that never lives long enough is not replaced at every call.
            if made.ends_at - time.monotonic() >= min(seconds, made.life / 2):
                return made.token
            self._drop(making)

    def _making(self) -> concurrent.futures.Future[_Made]:
        """All callers wait for it, so it has limits of its own, and ends with no caller."""
        with self._lock:
            # A process that was forked is an instance of its own.
            if self._held is None or self._held[0] != os.getpid():
                steps = _make_instance(self.url, self._provisioner)
                self._held = os.getpid(), in_background(drive_async(steps))
            return self._held[1]

    def _drop(self, making: concurrent.futures.Future[_Made]) -> None:
        with self._lock:
            if self._held is not None and self._held[1] is making:
                self._held = None


def _make_instance(url: str, provisioner: str) -> Steps[_Made]:
    """The key repeats a lost response."""
    before = time.monotonic()
    call = ServiceCall(
        method="POST",
        path="/instances",
        token=provisioner,
        body="{}",
        idempotency_key=str(uuid.uuid4()),
        expects=(200, 201),
    )
    text = yield from call_service(url, call, before + _MAKING_SECONDS)
    try:
        made = members_of(text)
        credential, instance = (members_of(made[of]) for of in ("credential", "agent_instance"))
        token = string_of(credential["token"])
        _require_token(token)
        # The clock of this machine may be wrong, so both times are the service's.
        ends, begins = (
            datetime.fromisoformat(string_of(written).replace("Z", "+00:00"))
            for written in (credential["expires_at"], instance["created_at"])
        )
        life = (ends - begins).total_seconds()
        if life > 0:
            return _Made(token, life, before + life)
    except (ValueError, TypeError, KeyError, Unavailable):
        pass
    raise Unavailable("invalid_response", "The response has no instance with a credential.")
