"""What is checked of what callers give, and the digests by which calls are found and compared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from .calls import Ticket, ToolCall
from .errors import NotApproved
from .exact import canonical, text_of_string
from .request import Request

AnyTicket = Ticket | Mapping[str, Any] | str
"""A ticket, its `to_dict()`, or the id of a request."""


def require_names(call: ToolCall) -> None:
    """Raises TypeError. An empty id would be the same for every call."""
    if not isinstance(call, ToolCall):
        raise TypeError("A call must be a ToolCall.")
    for name in ("tool", "session", "call_id", "server", "reasoning"):
        value: object = getattr(call, name)
        if value is None and name not in ("tool", "session"):
            continue
        if not isinstance(value, str) or (value == "" and name != "reasoning"):
            raise TypeError(f"A call needs a {name} that is a text and not empty.")
    if type(call.ordinal) is not int or call.ordinal < 1:
        raise TypeError("The ordinal of a call must be a whole number from 1.")


def read_ticket(given: AnyTicket) -> tuple[str, Ticket | None]:
    """Raises TypeError for what is no id, because it becomes a part of the address."""
    ticket = Ticket.from_dict(given) if isinstance(given, Mapping) else given
    named: object = ticket.id if isinstance(ticket, Ticket) else ticket
    if not isinstance(named, str) or not re.fullmatch("[0-9a-f-]{36}", named):
        raise TypeError("This is no id of a request.")
    return named, ticket if isinstance(ticket, Ticket) else None


def require_same_call(ticket: Ticket, request: Request) -> None:
    """A ticket may have been in other hands."""
    given = (ticket.tool, ticket.server, ticket.digest)
    if given != (request.tool, request.server, digest_of(request.question)):
        raise NotApproved("changed", None, request.id)


def key_of(*parts: str) -> str:
    """As the SDK for TypeScript makes it, so that both find the request of a call."""
    return sha256(f"[{','.join(text_of_string(part) for part in parts)}]".encode()).hexdigest()


def digest_of(json: str) -> str:
    """Equal for equal values."""
    return sha256(canonical(json).encode()).hexdigest()
