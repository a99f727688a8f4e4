"""A call that is about to be asked: what is sent, with which key and token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .arguments import text_of
from .calls import ToolCall
from .errors import NotApproved, Unavailable
from .request import Request, SentCall
from .transport.effects import is_abort


@dataclass(frozen=True, kw_only=True)
class Asking:
    token: str
    until: float
    """Of `time.monotonic()`. Before the limit, so that there is time to withdraw."""
    end: float
    """The limit."""


@dataclass(frozen=True, kw_only=True)
class Prepared(Asking):
    call: ToolCall
    sent: SentCall
    arguments: dict[str, Any]
    key: str
    entry: str | None
    """Of the key in the ledger."""
    parking: str | None
    """Where the request is kept when the call parks: its name in the ledger."""

    @property
    def name(self) -> str | None:
        """What to forget in the ledger."""
        return self.entry or self.parking

    def require_same(self) -> None:
        """Raises `NotApproved` if the caller's arguments are other ones by now."""
        if text_of(self.call.arguments) != self.sent.arguments:
            raise NotApproved("changed")


def is_waiting(request: Request, error: BaseException) -> bool:
    """A call that parks keeps its request, also where the service is away at its limit."""
    if request.status != "pending" or is_abort(error):
        return False
    if isinstance(error, NotApproved):
        return error.status == "waiting"
    return isinstance(error, Unavailable) and error.reason == "unreachable"
