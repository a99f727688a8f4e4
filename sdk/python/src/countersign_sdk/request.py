"""
The request as the service returns it, compared with what was asked. It has no member that is not
known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, NoReturn, TypeVar

from .errors import Unavailable
from .exact import canonical, members_of, string_of, text_of_string
from .limits import seconds_of

T = TypeVar("T")
Status = Literal["pending", "approved", "denied", "expired", "cancelled"]


@dataclass(frozen=True, kw_only=True)
class SentCall:
    """A call as it is sent."""

    tool: str
    server: str | None
    arguments: str
    """JSON text."""
    reasoning: str | None
    context: str
    """JSON text."""
    timeout: str
    resumes: bool = False
    """It goes on with an equal call, whose reasoning, context and timeout may be others."""

    def members(self) -> dict[str, str]:
        texts = {
            "tool": text_of_string(self.tool),
            "server": _optional(self.server),
            "arguments": self.arguments,
            "agent_reasoning": _optional(self.reasoning),
            "context": self.context,
            "timeout": text_of_string(self.timeout),
        }
        return {name: text for name, text in texts.items() if text is not None}

    def body(self) -> str:
        return _object({**self.members(), **({"resume": "true"} if self.resumes else {})})


@dataclass(frozen=True, kw_only=True)
class Request:
    id: str
    status: Status
    tool: str
    server: str | None
    arguments: str
    """JSON text."""
    question: str
    """All that was asked, as JSON text."""
    deadline_at: datetime
    note: str | None = None
    decided_at: datetime | None = None
    expires_at: datetime | None = None


_STATUSES: tuple[Status, ...] = ("pending", "approved", "denied", "expired", "cancelled")
_REQUIRED = ("id", "tool", "arguments", "timeout", "status", "created_at", "deadline_at")
_OPTIONAL = ("server", "agent_reasoning", "context", "decision")
_ECHOED = ("tool", "server", "arguments", "agent_reasoning", "context", "timeout")
_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
)
_SHORTEST_WINDOW, _LONGEST_WINDOW = timedelta(minutes=1), timedelta(hours=24)
"""How long an approval can be used is a setting of the agent, between these."""


def _object(members: Mapping[str, str]) -> str:
    return f"{{{','.join(f'{text_of_string(name)}:{text}' for name, text in members.items())}}}"


def _optional(value: str | None) -> str | None:
    return None if value is None else text_of_string(value)


def read_request(text: str, sent: SentCall | None = None) -> Request:
    """Raises `Unavailable` for a text that is no request, and for one of another call."""
    members = _understood(lambda: members_of(text))
    _closed(members, _REQUIRED, _OPTIONAL)
    given = _string(members, "status")
    status = next((each for each in _STATUSES if each == given), None)
    if status is None:
        _wrong("status")
    request_id = _string(members, "id")
    if not _UUID.fullmatch(request_id):
        _wrong("id")
    created_at = _instant(members, "created_at")
    deadline_at = _instant(members, "deadline_at")
    decision = members.get("decision")
    if (status == "pending") != (decision is None):
        _wrong("decision")
    if sent is not None:
        _compare(members, sent)
        timeout = _string(members, "timeout") if sent.resumes else sent.timeout
        if deadline_at - created_at != timedelta(seconds=seconds_of(timeout, "timeout")):
            _wrong("deadline_at")
    if not members["arguments"].startswith("{"):
        _wrong("arguments")
    request = Request(
        id=request_id,
        status=status,
        tool=_string(members, "tool"),
        server=_string(members, "server") if "server" in members else None,
        arguments=members["arguments"],
        question=_object({name: members[name] for name in _ECHOED if name in members}),
        deadline_at=deadline_at,
    )
    return request if decision is None else _decided(request, decision, created_at)


def _decided(request: Request, text: str, created_at: datetime) -> Request:
    members = _understood(lambda: members_of(text))
    is_approval = request.status == "approved"
    required = ("status", "decided_at", "expires_at")
    _closed(members, required if is_approval else required[:2], ("note",))
    if _string(members, "status") != request.status:
        _wrong("decision/status")
    decided_at = _instant(members, "decided_at")
    is_late = request.status != "expired" and decided_at >= request.deadline_at
    if decided_at < created_at or is_late:
        _wrong("decision/decided_at")
    expires_at = _instant(members, "expires_at") if is_approval else None
    if expires_at is not None:
        window = expires_at - decided_at
        if not _SHORTEST_WINDOW <= window <= _LONGEST_WINDOW:
            _wrong("decision/expires_at")
    return replace(
        request,
        note=_string(members, "note") if "note" in members else None,
        decided_at=decided_at,
        expires_at=expires_at,
    )


def read_start(text: str, request: Request) -> datetime:
    """The one start of an approval, in the time in which it can be used."""
    members = _understood(lambda: members_of(text))
    _closed(members, ("id", "started_at"), ())
    if _string(members, "id") != request.id:
        _wrong("id")
    started_at = _instant(members, "started_at")
    decided_at, expires_at = request.decided_at, request.expires_at
    if decided_at is None or expires_at is None or not decided_at <= started_at < expires_at:
        _wrong("started_at")
    return started_at


def _compare(members: Mapping[str, str], sent: SentCall) -> None:
    expected = sent.members()
    for name in _ECHOED[:3] if sent.resumes else _ECHOED:
        given, value = members.get(name), expected.get(name)
        if given == value:
            continue
        if given is None or value is None or canonical(given) != canonical(value):
            _wrong(name)


def _closed(
    members: Mapping[str, str], required: Collection[str], optional: Collection[str]
) -> None:
    for name in required:
        if name not in members:
            _wrong(name)
    for name in members:
        if name not in required and name not in optional:
            _wrong(name)


def _string(members: Mapping[str, str], name: str) -> str:
    try:
        return string_of(members.get(name, ""))
    except ValueError:
        _wrong(name)


def _instant(members: Mapping[str, str], name: str) -> datetime:
    text = _string(members, name)
    if not _INSTANT.fullmatch(text):
        _wrong(name)
    try:
        return datetime.fromisoformat(f"{text[:-1]}+00:00")
    except ValueError:
        _wrong(name)


def _understood(read: Callable[[], T]) -> T:
    try:
        return read()
    except (ValueError, RecursionError):
        raise Unavailable(
            "invalid_response", "The response is no JSON object of the service."
        ) from None


def _wrong(name: str) -> NoReturn:
    raise Unavailable(
        "invalid_response",
        f"The response is not of this call, or not of the service: {name}.",
    )
