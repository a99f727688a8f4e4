"""What `run`, `ask` and `settle` raise. Whatever they raise, the call did not run."""

from __future__ import annotations

from typing import Literal

NotApprovedStatus = Literal["denied", "expired", "cancelled", "stale", "used", "changed", "waiting"]
"""
- `denied`, `expired`, `cancelled`: the outcome of the request.
- `stale`: it was approved, but not started before the approval ended.
- `used`: the approval was started before, maybe by a run that crashed. The call may have run.
- `waiting`: the call was parked, and no one has decided yet. The same call later goes on with its
  request.
- `changed`: the call is not the one that was asked for, such as with other arguments or another
  context.
"""

UnavailableReason = Literal["configuration", "refused", "unreachable", "invalid_response"]
"""
- `configuration`: no address, no token, or one that cannot be used.
- `refused`: the service refused the call, such as an ended credential. `code` says why.
- `unreachable`: no usable response before the limit.
- `invalid_response`: the response is not what was asked for.
"""

_FOR_MODEL: dict[NotApprovedStatus, str] = {
    "denied": "A reviewer or a rule denied this call. It did not run. "
    "Do not try it again in another form.",
    "expired": "No one approved this call in time. It did not run.",
    "cancelled": "The request for this call was withdrawn. It did not run.",
    "stale": "This call was approved, but too late to run it. It did not run. "
    "It can be asked for again.",
    "used": "This call was started before and may have run, so it did not run again. "
    "Check its effects. If it must run again, ask for it as a new call, with a new id.",
    "waiting": "This call waits for approval. It did not run, and its request stays open. "
    "Make the same call again later, with the same arguments.",
    "changed": "This is not the call that was asked for: its arguments, reasoning, context or "
    "time limit differ. It did not run. Ask for it as a new call.",
}


class NotApproved(Exception):
    """There is no approval that can be used now."""

    def __init__(
        self, status: NotApprovedStatus, note: str | None = None, request_id: str | None = None
    ) -> None:
        text = _FOR_MODEL[status]
        if status == "waiting" and request_id is not None:
            text = f"{text} Request: {request_id}."
        super().__init__(text if note is None else f"{text} Note: {note}")
        self.status: NotApprovedStatus = status
        self.note = note
        """The note of the reviewer, or the reason of the rule."""
        self.request_id = request_id

    def __reduce__(self) -> tuple[type[NotApproved], tuple[object, ...]]:
        return type(self), (self.status, self.note, self.request_id)

    @property
    def to_model(self) -> str:
        """A text for the model, in the place of the result of the tool."""
        return str(self)


_ABOUT_THE_CALL = (400, 403, 413, 429)
"""A model may know of these refusals. Others are about the address or the token."""


def _advice_for(status: int | None) -> str:
    """What the model can do about it."""
    if status in (400, 413):
        return "Change the call as this says, or go on without it."
    if status == 429:
        return "Go on without it, or try it again later."
    return "Tell the user, and do not try another way."


class Unavailable(Exception):
    """There is no decision to go by."""

    def __init__(
        self,
        reason: UnavailableReason,
        message: str,
        http_status: int | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.reason: UnavailableReason = reason
        self.http_status = http_status
        """HTTP status of a refusal."""
        self.code = code
        """Error code of a refusal."""

    def __reduce__(self) -> tuple[type[Unavailable], tuple[object, ...]]:
        return type(self), (self.reason, str(self), self.http_status, self.code)

    @property
    def to_model(self) -> str:
        """A text for the model, in the place of the result of the tool."""
        if self.http_status in _ABOUT_THE_CALL:
            return f"{self} This call did not run. {_advice_for(self.http_status)}"
        return (
            "The approval service did not respond, so this call did not run. "
            "Tell the user, and do not try another way."
        )
