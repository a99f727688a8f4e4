"""Asks in a node of a graph, which is suspended meanwhile, and runs the call once."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NoReturn, TypeVar, overload

from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.runtime import get_runtime
from langgraph.types import interrupt

from . import Approved, AsyncCountersign, Countersign, JsonText, Ticket, ToolCall
from .state.results import CHECKPOINTER, Kept

Arguments = Mapping[str, Any] | JsonText
T = TypeVar("T")
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
    id of a tool call. A node that runs again after its call ran gets `used`: `run` keeps results.
    """
    call = _call_of(tool, arguments, more, call_id)
    if isinstance(countersign, AsyncCountersign):
        return _approve_async(countersign, call)
    return _approve(countersign, call)


@overload
def run(
    countersign: Countersign,
    tool: str,
    arguments: Arguments,
    fn: Callable[[dict[str, Any]], T],
    *,
    server: str | None = ...,
    call_id: str | None = ...,
    reasoning: str | None = ...,
    context: Mapping[str, Any] | None = ...,
    timeout: str | None = ...,
) -> T: ...
@overload
def run(
    countersign: AsyncCountersign,
    tool: str,
    arguments: Arguments,
    fn: Callable[[dict[str, Any]], Awaitable[T]],
    *,
    server: str | None = ...,
    call_id: str | None = ...,
    reasoning: str | None = ...,
    context: Mapping[str, Any] | None = ...,
    timeout: str | None = ...,
) -> Awaitable[T]: ...
def run(
    countersign: Countersign | AsyncCountersign,
    tool: str,
    arguments: Arguments,
    fn: Callable[[dict[str, Any]], Any],
    *,
    call_id: str | None = None,
    **more: Any,
) -> Any:
    """
    As `approve`, then runs `fn` with the arguments that were approved, and reports whether it
    succeeded. The checkpointer keeps the result, and a node that runs again gets it. So does an
    equal call of the node, unless `call_id` tells them apart. `fn` must not interrupt the graph.
    """
    call = _call_of(tool, arguments, more, call_id)
    if isinstance(countersign, AsyncCountersign):
        return _run_async(countersign, call, fn)
    kept = Kept(call, get_config())
    if found := kept.load():
        return found[0]
    approved = _approve(countersign, call)
    try:
        result = fn(approved.arguments)
    except BaseException as error:
        countersign.report(approved, "failed", type(error).__name__)
        raise_no_interrupt(error)
    kept.save(result)
    countersign.report(approved, "succeeded")
    return result


async def _run_async(
    countersign: AsyncCountersign, call: ToolCall, fn: Callable[[dict[str, Any]], Any]
) -> Any:
    kept = Kept(call, get_config())
    if found := await kept.load_async():
        return found[0]
    approved = await _approve_async(countersign, call)
    try:
        result = fn(approved.arguments)
        if inspect.isawaitable(result):
            result = await result
    except BaseException as error:
        await countersign.report(approved, "failed", type(error).__name__)
        raise_no_interrupt(error)
    await kept.save_async(result)
    await countersign.report(approved, "succeeded")
    return result


def raise_no_interrupt(error: BaseException) -> NoReturn:
    """A node that is interrupted runs again, and its approval was used."""
    if isinstance(error, GraphInterrupt):
        raise TypeError(
            "The call interrupted the graph after it was approved, so it cannot go on. Interrupt "
            "in a node before it."
        ) from error
    raise error


def _approve(countersign: Countersign, call: ToolCall) -> Approved:
    ticket = countersign.start(call, keep=True)
    try:
        _suspend(ticket)
    except GraphBubbleUp:
        raise
    except BaseException:
        countersign.withdraw(ticket)
        raise
    return countersign.settle(ticket)


async def _approve_async(countersign: AsyncCountersign, call: ToolCall) -> Approved:
    ticket = await countersign.start(call, keep=True)
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
    has_checkpointer = get_config()["configurable"].get(CHECKPOINTER, True) is not None
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
