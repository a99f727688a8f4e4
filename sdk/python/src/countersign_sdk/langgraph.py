"""Asks in a node of a graph, which is suspended meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Mapping
from typing import Any, overload

from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import get_runtime
from langgraph.types import interrupt

from . import Approved, AsyncCountersign, Countersign, JsonText, Ticket, ToolCall

Arguments = Mapping[str, Any] | JsonText
_CHECKPOINTER = "__pregel_checkpointer"
_SCRATCHPAD = "__pregel_scratchpad"


@overload
def approve(
    countersign: Countersign,
    tool: str,
    arguments: Arguments,
    *,
    server: str | None = ...,
    call_id: str | None = ...,
    reasoning: str | None = ...,
    context: Mapping[str, Any] | None = ...,
    timeout: str | None = ...,
) -> Approved: ...
@overload
def approve(
    countersign: AsyncCountersign,
    tool: str,
    arguments: Arguments,
    *,
    server: str | None = ...,
    call_id: str | None = ...,
    reasoning: str | None = ...,
    context: Mapping[str, Any] | None = ...,
    timeout: str | None = ...,
) -> Awaitable[Approved]: ...
def approve(
    countersign: Countersign | AsyncCountersign,
    tool: str,
    arguments: Arguments,
    *,
    call_id: str | None = None,
    **more: Any,
) -> Approved | Awaitable[Approved]:
    """
    Call it in a node, before the node does anything else. The first time it makes the request and
    interrupts the graph with the ticket. When the graph is resumed, with any value, it waits for
    the decision and starts the approval. Raises `NotApproved` or `Unavailable`. A node that was
    resumed is not interrupted again: further calls of it wait.

    With an `AsyncCountersign`, await it. `call_id` tells equal calls of one node apart, such as the
    id of a tool call.
    """
    call = _call_of(tool, arguments, more, call_id)
    if isinstance(countersign, AsyncCountersign):
        return _approve_async(countersign, call)
    ticket = countersign.start(call)
    try:
        _suspend(ticket)
    except GraphBubbleUp:
        raise
    except BaseException:
        countersign.withdraw(ticket)
        raise
    return countersign.settle(ticket)


async def _approve_async(countersign: AsyncCountersign, call: ToolCall) -> Approved:
    ticket = await countersign.start(call)
    try:
        _suspend(ticket)
    except GraphBubbleUp:
        raise
    except BaseException:
        await countersign.withdraw(ticket)
        raise
    return await countersign.settle(ticket)


def _call_of(
    tool: str, arguments: Arguments, more: dict[str, Any], call_id: str | None
) -> ToolCall:
    """A node that is resumed is the same task of the same thread, so its call has the same key."""
    info = get_runtime().execution_info
    # Without one, the graph would be interrupted for ever.
    has_checkpointer = get_config()["configurable"].get(_CHECKPOINTER, True) is not None
    if info is None or info.thread_id is None or not has_checkpointer:
        raise TypeError("approve needs a graph with a checkpointer, and a thread_id.")
    return ToolCall(
        tool=tool,
        arguments=arguments,
        session=str(info.thread_id),
        call_id=":".join([info.task_id, *([call_id] if call_id else [])]),
        **more,
    )


_resuming = threading.Lock()


def _suspend(ticket: Ticket) -> None:
    # Tools of one node run at the same time, and share its resume values. What a node did before an
    # interrupt is lost, so it is interrupted only before anything of it runs.
    with _resuming:
        if not get_config()["configurable"][_SCRATCHPAD].resume:
            # What comes back says only that the graph goes on. The service says whether it may.
            interrupt(ticket.to_dict())
