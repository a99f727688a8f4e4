"""What callers give, and what they get."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal

from .arguments import JsonText

CallOutcome = Literal["succeeded", "failed", "not_run", "refused_by_runtime", "ran_differently"]
"""What came of a call that was started, for reviewers."""


@dataclass(frozen=True)
class CallResult:
    """What came of a call, without its arguments."""

    outcome: CallOutcome
    detail: str | None = None
    arguments_digest: str | None = None
    """SHA-256 of what ran, if another call ran than the one that was approved."""


NOT_RUN = CallResult("not_run")


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    tool: str
    """Name of the tool, as rules compare it."""
    arguments: Mapping[str, Any] | JsonText
    session: str
    """The conversation or run. Two conversations never share an approval."""
    call_id: str | None = None
    """The call's id in its session. With it, a repeated call goes on with its request, also after
    a restart."""
    ordinal: int = 1
    """Where a runtime gives several calls one id: which of them this is, from 1. Equal calls with
    one id and ordinal are one call."""
    server: str | None = None
    """Alias of the MCP server that defines the tool."""
    reasoning: str | None = None
    """What the agent says about the call. Reviewers see that it is not checked."""
    context: Mapping[str, Any] | None = None
    """Where the call comes from, as the adapter knows it."""
    timeout: str | None = None
    """How long reviewers have, such as `15m`."""


@dataclass(frozen=True, kw_only=True)
class Ticket:
    """A request that was made. It can be kept as JSON, and settled later by the same instance."""

    id: str
    tool: str
    server: str | None = None
    digest: str
    """SHA-256 of all that reviewers see of the call. It is compared with what was approved."""
    deadline_at: str
    """ISO 8601."""
    review_url: str
    """Where a reviewer decides."""
    entry: str | None = None
    """In the ledger, where the call has no id."""

    def to_dict(self) -> dict[str, str]:
        """For JSON. `settle` and `withdraw` take it in place of the ticket."""
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {name: value for name, value in values if value is not None}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Ticket:
        """Raises TypeError for what is no ticket."""
        ticket = cls(**given)
        for each in fields(cls):
            value = getattr(ticket, each.name)
            if not isinstance(value, str) and (value is not None or each.default is not None):
                raise TypeError(f"This is no ticket: {each.name} must be a text.")
        return ticket


@dataclass(frozen=True, kw_only=True)
class Approved:
    """An approval that was started now, for one run of the call."""

    id: str
    tool: str
    server: str | None = None
    arguments: dict[str, Any]
    """What was approved, in a copy that no one else holds. Run the tool with these."""
    arguments_text: str
    """The same as source text, with every digit."""
    note: str | None = None
    started_at: datetime
