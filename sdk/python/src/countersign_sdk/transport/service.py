"""
Calls of the service: repeated while that can help, and no longer than the limit. Anything
unexpected is an error.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from ..errors import Unavailable
from .effects import Lost, Pause, Reply, Send, Steps


@dataclass(frozen=True, kw_only=True)
class ServiceCall:
    method: str
    path: str
    """After `/api/aap/v1`."""
    token: str
    body: str | None = None
    idempotency_key: str | None = None
    expects: tuple[int, ...] = (200,)
    wait_seconds: int = 0
    """How long the service holds the response."""


class Refusal(Exception):
    """A 4xx that is final."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


_CALL_SECONDS = 15
"""Proxies and processes take some time besides the wait."""
_MOST_ISSUES = 3
_LONGEST_ISSUES = 500
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 5.0


def too_late() -> Unavailable:
    return Unavailable("unreachable", "The service did not respond in time.")


def address_of(url: str) -> str:
    """The address of the service. Raises `Unavailable` for one that cannot be called."""
    try:
        parsed = httpx.URL(url)
    except Exception:
        parsed = httpx.URL("")
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise Unavailable(
            "configuration",
            f"{url!r} is no address of a service: it must start with https:// or http://.",
        )
    if parsed.userinfo or parsed.query or parsed.fragment:
        raise Unavailable(
            "configuration", "The address of the service must have no user, query or fragment."
        )
    address = str(parsed.copy_with(query=None, fragment=None)).rstrip("/")
    ours = re.search("/(?:api/)?(?:aap|api)(?:/v1)?$", parsed.path.rstrip("/"))
    if ours is not None:
        raise Unavailable(
            "configuration",
            f"The address is wrong: leave {ours[0]} off, as in {address[: -len(ours[0])]}.",
        )
    return address


def call_service(url: str, call: ServiceCall, until: float) -> Steps[str]:
    """
    The text of a 2xx. Raises `Refusal` for a final 4xx, and `Unavailable`. `until` is of
    `time.monotonic()`.
    """
    pause = _FIRST_PAUSE
    while True:
        left = until - time.monotonic()
        if left <= 0:
            raise too_late()
        try:
            reply: Reply | None = yield Send(
                call.method,
                f"{url}/api/aap/v1{call.path}",
                _headers_of(call),
                call.body,
                min(left, call.wait_seconds + _CALL_SECONDS),
            )
        except Lost:
            reply = None
        text = None if reply is None else _text_of(reply, call.expects)
        if text is not None:
            return text
        # A service that says 0 is not called without a pause.
        asked = _retry_after_of(reply)
        left = max(0.0, until - time.monotonic())
        yield Pause(min(max(asked, pause * (0.5 + random.random() / 2)), left))
        pause = min(pause * 2, _LONGEST_PAUSE)


def _headers_of(call: ServiceCall) -> Mapping[str, str]:
    headers = {"authorization": f"Bearer {call.token}", "accept": "application/json"}
    if call.body is not None:
        headers["content-type"] = "application/json"
    if call.idempotency_key is not None:
        headers["idempotency-key"] = call.idempotency_key
    return headers


def _retry_after_of(reply: Reply | None) -> int:
    text = (reply and reply.retry_after) or ""
    return int(text) if re.fullmatch("[0-9]{1,5}", text) else 0


def _text_of(reply: Reply, expects: tuple[int, ...]) -> str | None:
    """None where another try can help."""
    status = reply.status
    if status >= 500 or status == 408:
        return None
    if status == 204 and status in expects:
        return ""
    if status == 429:
        _require_free_share(reply)
        return None
    if reply.body is None:
        raise Unavailable(
            "configuration",
            f"The address is wrong: it responded with status {status} and no JSON of the service.",
        )
    try:
        text = reply.body.decode()
    except UnicodeDecodeError:
        raise Unavailable("invalid_response", "The response is not UTF-8.") from None
    if status in expects:
        return text
    if status < 400:
        raise Unavailable("invalid_response", f"Status {status} is no response to this call.")
    raise _refusal_of(status, text)


def _require_free_share(reply: Reply) -> None:
    """A share that is full does not get free by asking again."""
    refusal = _refusal_of(429, (reply.body or b"").decode(errors="replace"))
    if isinstance(refusal, Refusal) and refusal.code == "quota_exceeded":
        raise refusal


def _issues_of(error: Mapping[str, Any]) -> str:
    """What is wrong with the call, so that a model can mend it."""
    details = error.get("details")
    issues = details.get("issues") if isinstance(details, dict) else None
    if not isinstance(issues, list):
        return ""
    said = (
        f" {each['pointer']}: {each['message']}."
        for each in issues[:_MOST_ISSUES]
        if isinstance(each, dict) and {"pointer", "message"} <= set(each)
    )
    return "".join(said)[:_LONGEST_ISSUES]


def _refusal_of(status: int, text: str) -> Refusal | Unavailable:
    try:
        error = json.loads(text)["error"]
        code, message = error["code"], error["message"]
        if isinstance(code, str) and isinstance(message, str):
            return Refusal(status, code, f"{message}{_issues_of(error)}")
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        pass
    return Unavailable(
        "configuration",
        f"The address is wrong: it refused with status {status}, and not as the service does.",
    )
