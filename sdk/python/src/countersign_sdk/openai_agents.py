"""Gates function tools of the OpenAI Agents SDK, and runs that are kept while a person is asked."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

from agents import (
    Agent,
    FunctionTool,
    RunContextWrapper,
    Runner,
    RunResult,
    RunResultStreaming,
    RunState,
    StreamEvent,
)
from agents.items import ToolApprovalItem
from agents.tool import (
    invoke_function_tool,
    maybe_invoke_function_tool_failure_error_function,
    set_function_tool_failure_error_function,
)
from agents.tool_context import ToolContext

from . import AsyncCountersign, CallOutcome, JsonText, NotApproved, Ticket, ToolCall, Unavailable
from .state.turns import Turn, turns_of

_UNREADABLE = "The arguments are no JSON object, so this call did not run. Send a valid one."


@dataclass(frozen=True)
class _Gate:
    countersign: AsyncCountersign
    turn_of: Callable[[RunContextWrapper[Any], str, str], Turn]
    """Raises TypeError and ValueError for arguments that are no JSON object."""


_failed: ContextVar[list[str]] = ContextVar("countersign_failed")
"""The error of the call that runs, where the model is told of it."""
_ordinals: ContextVar[dict[str, int] | None] = ContextVar("countersign_ordinals")
"""Of the calls of the durable run. In one run, the SDK runs equal calls with one id once."""
_ORDINALS = "countersign_ordinals"
_durable: WeakKeyDictionary[Any, _Gate] = WeakKeyDictionary()
"""Of durable tools, by the function that only they have."""


def gate_tool(
    tool: FunctionTool,
    countersign: AsyncCountersign,
    *,
    session: str | Callable[[RunContextWrapper[Any]], str],
    on_refusal: Literal["tell_model", "raise"] = "tell_model",
    server: str | None = None,
    context: Mapping[str, Any] | None = None,
    timeout: str | None = None,
    durable: bool = False,
) -> FunctionTool:
    """
    The same tool, which runs only with an approval. `session` is the conversation, or a function
    that reads it from the context of the call. Without an approval, the model gets a text in the
    place of the result, or the run ends with the error.

    With `durable`, the run stops at the call and can be kept while a person is asked: see
    `run_durable`. Raises TypeError for a tool that the gate cannot hold, such as one that runs at
    the provider.
    """
    if not isinstance(tool, FunctionTool):
        raise TypeError(
            f"{getattr(tool, 'name', tool)!r} is no function tool, so no gate can hold it."
        )
    if not isinstance(countersign, AsyncCountersign):
        raise TypeError("gate_tool needs an AsyncCountersign.")
    if not callable(session) and not session:
        raise TypeError("gate_tool needs the session of the calls.")

    async def told_of(run_context: RunContextWrapper[Any], error: Exception) -> Any:
        """What the tool tells the model of an error. It would be no error for the gate."""
        _failed.get().append(type(error).__name__)
        return await maybe_invoke_function_tool_failure_error_function(
            function_tool=tool, context=run_context, error=error
        )

    # The tool's own time limit is for its run, not for reviewers.
    inner = set_function_tool_failure_error_function(copy.copy(tool), told_of)

    def turn_of(run_context: RunContextWrapper[Any], text: str, call_id: str) -> Turn:
        call = ToolCall(
            tool=tool.name,
            server=server,
            arguments=JsonText(text or "{}"),
            session=session(run_context) if callable(session) else session,
            call_id=call_id,
            context=context,
            timeout=timeout,
        )
        # As long as the conversation before the run, so that each run has other ordinals.
        before = max(len(run_context.turn_input) - 1, 0)
        run = _ordinals.get(None) if durable else None
        return turns_of(countersign).next(call, before, run)

    async def ask_and_run(call_context: ToolContext[Any], text: str) -> Any:
        try:
            JsonText(text or "{}")
        except (TypeError, ValueError):
            return _UNREADABLE
        turn = turn_of(call_context, text, call_context.tool_call_id)
        try:
            approved = await countersign.ask(turn.call)
        except BaseException as error:
            turn.end(error)
            if on_refusal == "raise" or not isinstance(error, (NotApproved, Unavailable)):
                raise
            return error.to_model
        failed: list[str] = []
        _failed.set(failed)
        try:
            result = await invoke_function_tool(
                function_tool=inner, context=call_context, arguments=approved.arguments_text
            )
        except BaseException as error:
            turn.end()
            await countersign.report(approved, "failed", type(error).__name__)
            raise
        turn.end()
        outcome: CallOutcome = "failed" if failed else "succeeded"
        await countersign.report(approved, outcome, "".join(failed[:1]))
        return result

    gated = copy.copy(tool)
    gated.timeout_seconds = None
    gated.on_invoke_tool = ask_and_run
    if durable:
        gated.needs_approval = True
        _durable[ask_and_run] = _Gate(countersign, turn_of)
    return gated


@dataclass(frozen=True)
class Suspended:
    state: str
    """Keep it, and give `{"state": …}` to `run_durable` when people have decided."""
    tickets: list[Ticket]
    """Of the calls that wait. A call that could not be asked for has none: go on later."""


@dataclass(frozen=True)
class DurableRun:
    result: RunResult
    suspended: Suspended | None
    """None when the run is done."""


@dataclass(frozen=True)
class DurableRunEnd:
    """The last event of a streamed run."""

    result: RunResultStreaming
    suspended: Suspended | None
    """None when the run is done."""
    type: Literal["durable_run_end"] = "durable_run_end"


DurableInput: TypeAlias = "str | list[Any] | Mapping[str, str]"
"""
As for `Runner.run`, or `{"state": …}` of a run that was suspended, in this process or another one.
"""


async def run_durable(
    agent: Agent[Any], input: DurableInput, *, context: Any = None, **options: Any
) -> DurableRun:
    """
    Runs the agent until it is done, or can only wait for people. The state decides nothing: each
    call asks the service before it runs. A run stays suspended while the service is away. `options`
    are those of `Runner.run`.
    """
    given, ordinals = await _input_of(agent, input, context)
    while True:
        more = {} if isinstance(given, RunState) else {"context": context}
        with _counted(ordinals):
            result = await Runner.run(agent, given, **more, **options)
            following = await _following(result, ordinals)
        if not isinstance(following, RunState):
            return DurableRun(result, following)
        given = following


async def stream_durable(
    agent: Agent[Any], input: DurableInput, *, context: Any = None, **options: Any
) -> AsyncGenerator[StreamEvent | DurableRunEnd, None]:
    """
    As `run_durable`. It yields the events of the run, and then its end. `options` are those of
    `Runner.run_streamed`.
    """
    given, ordinals = await _input_of(agent, input, context)
    while True:
        more = {} if isinstance(given, RunState) else {"context": context}
        # The run is a task of its own, which keeps them.
        with _counted(ordinals):
            result = Runner.run_streamed(agent, given, **more, **options)
        try:
            async for event in result.stream_events():
                yield event
        finally:
            if not result.is_complete:
                result.cancel()
        with _counted(ordinals):
            following = await _following(result, ordinals)
        if not isinstance(following, RunState):
            yield DurableRunEnd(result, following)
            return
        given = following


async def _input_of(
    agent: Agent[Any], input: DurableInput, context: Any
) -> tuple[str | list[Any] | RunState[Any, Any], dict[str, int]]:
    if not isinstance(input, Mapping):
        return input, {}
    state = await RunState.from_string(agent, input["state"], context_override=context)
    return state, _ordinals_in(input["state"])


@contextmanager
def _counted(ordinals: dict[str, int]) -> Iterator[None]:
    token = _ordinals.set(ordinals)
    try:
        yield
    finally:
        _ordinals.reset(token)


def _ordinals_in(state: str) -> dict[str, int]:
    """Of a state that others may have changed. A wrong ordinal is another question."""
    given = json.loads(state).get(_ORDINALS)
    entries = given if isinstance(given, dict) else {}
    return {name: each for name, each in entries.items() if type(each) is int and each > 0}


async def _following(
    result: RunResult | RunResultStreaming, ordinals: dict[str, int]
) -> RunState[Any, Any] | Suspended | None:
    """What is left to do. The run goes on where at least one call has a decision."""
    if not result.interruptions:
        return None
    state = result.to_state()
    waiting = [await _waiting(item, result, state) for item in result.interruptions]
    if not all(waiting):
        return state
    tickets = [each for each in waiting if isinstance(each, Ticket)]
    # The state of the SDK leaves out members that it does not know.
    kept = {**json.loads(state.to_string()), _ORDINALS: ordinals}
    return Suspended(json.dumps(kept), tickets)


async def _waiting(
    item: ToolApprovalItem, result: RunResult | RunResultStreaming, state: RunState[Any, Any]
) -> Ticket | bool:
    """
    Asks. A call with a decision goes on, whatever it is: the gate hears it when the call runs.
    """
    gate = _gate_for(item)
    if gate is None:
        # What is not gated is its owner's to approve.
        return True
    try:
        turn = gate.turn_of(result.context_wrapper, item.arguments or "", str(item.call_id))
        ticket = await gate.countersign.start(turn.call, keep=True)
        if await gate.countersign.is_pending(ticket):
            return ticket
    except (NotApproved, Unavailable) as error:
        if isinstance(error, Unavailable) and error.reason == "unreachable":
            return True
        state.reject(item, rejection_message=error.to_model)
    except (TypeError, ValueError):
        state.reject(item, rejection_message=_UNREADABLE)
    else:
        state.approve(item)
    return False


def _gate_for(item: ToolApprovalItem) -> _Gate | None:
    tools: list[Any] = [
        each
        for each in item.agent.tools
        if isinstance(each, FunctionTool) and each.name == item.tool_name
    ]
    return next((gate for each in tools if (gate := _durable.get(each.on_invoke_tool))), None)
