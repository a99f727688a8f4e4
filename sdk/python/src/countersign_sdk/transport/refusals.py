"""What callers see of a refusal of the service."""

from __future__ import annotations

from typing import NoReturn

from ..errors import NotApproved, Unavailable
from .service import Refusal


def raise_understandable(error: BaseException) -> NoReturn:
    if isinstance(error, Refusal):
        raise understandable(error) from error
    raise error


def start_refused(error: Refusal, request_id: str) -> NotApproved | Unavailable:
    """The service refuses a start that comes too late or again."""
    if error.code == "already_started":
        return NotApproved("used", None, request_id)
    if error.code == "approval_expired":
        return NotApproved("stale", None, request_id)
    return understandable(error)


def raise_start_unknown(error: BaseException) -> NoReturn:
    """There was no response to a start, so no one knows whether it is on record."""
    if isinstance(error, Unavailable) and error.reason == "unreachable":
        raise Unavailable(
            "unreachable",
            "The service did not confirm that it started the approval. The call did not run. If "
            "the approval was started, it is used up: then ask for the call again, with a new id.",
        ) from error
    raise error


def understandable(error: Refusal) -> NotApproved | Unavailable:
    """A key that was used for other arguments means that the call is another one."""
    if error.code == "idempotency_conflict":
        return NotApproved("changed")
    if error.code == "request_withdrawn":
        return NotApproved("cancelled")
    return Unavailable(
        "refused",
        f"Countersign refused ({error.status} {error.code}): {error}",
        error.status,
        error.code,
    )
