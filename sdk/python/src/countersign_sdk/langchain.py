"""Gates the tools of a LangChain agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Annotated, Any, TypeAlias, cast

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import ToolMessage
from langgraph.errors import ParentCommand
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command
from typing_extensions import NotRequired

from . import (
    Approved,
    AsyncCountersign,
    CallOutcome,
    Countersign,
    NotApproved,
    ToolCall,
    Unavailable,
)
from .arguments import WrongArguments
from .injected import hidden_from_model
from .langgraph import raise_no_interrupt
from .state.results import Kept

_REFUSALS = (NotApproved, Unavailable, WrongArguments)
Result: TypeAlias = "ToolMessage | Command[Any]"


_TURN = "countersign_turn"


class _State(AgentState[Any]):  # type: ignore[misc]
    """Of the agent. Others may trim its messages, but not this."""

    countersign_turn: NotRequired[Annotated[int, PrivateStateAttr]]  # type: ignore[valid-type]


class CountersignMiddleware(AgentMiddleware[Any, Any, Any]):  # type: ignore[misc]
    """
    Every tool call of the agent runs only with an approval, except calls of the tools in `exempt`.
    Without one, the model gets an error message in the place of the result. List it last, so that
    no other middleware changes or repeats a call after it was approved. A node that runs again gets
    the results of calls that ran, where the graph has a checkpointer. Tools must not interrupt it.
    Tools of an agent that runs inside a tool are not asked for: give that agent one, too.

    `session` reads the conversation from the call. Default: the `thread_id` of the run.
    """

    def __init__(
        self,
        countersign: Countersign | AsyncCountersign,
        *,
        exempt: Collection[str] = (),
        session: Callable[[ToolCallRequest], str] | None = None,
        context: Mapping[str, Any] | None = None,
        timeout: str | None = None,
    ) -> None:
        super().__init__()
        self.state_schema = _State
        if isinstance(exempt, str) or not isinstance(countersign, (Countersign, AsyncCountersign)):
            raise TypeError("CountersignMiddleware needs a client, and a list of exempt tools.")
        self._countersign = countersign
        self._exempt = frozenset(exempt)
        self._session = session or _thread_of
        self._context = context
        self._timeout = timeout

    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Counts the turns of the model in which it calls tools."""
        messages = state["messages"]
        if not messages or not getattr(messages[-1], "tool_calls", None):
            return None
        # The caller may give a history that has turns.
        return {_TURN: max(state.get(_TURN, 0) + 1, _turns_in(messages))}

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]
    ) -> Result:
        if request.tool_call["name"] in self._exempt:
            return handler(request)
        if not isinstance(self._countersign, Countersign):
            raise TypeError("Run the agent with ainvoke or astream, or give it a Countersign.")
        try:
            call = self._call_of(request)
            kept = Kept(call, request.runtime.config)
            if found := kept.load():
                return cast(Result, found[0])
            approved = self._countersign.ask(call)
        except _REFUSALS as error:
            return _refusal(request, error)
        try:
            result = handler(_with(request, approved))
        except ParentCommand:
            # A tool that hands over has run.
            self._countersign.report(approved, "succeeded")
            raise
        except BaseException as error:
            self._countersign.report(approved, "failed", type(error).__name__)
            raise_no_interrupt(error)
        kept.save(result)
        self._countersign.report(approved, _outcome_of(result))
        return result

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        if request.tool_call["name"] in self._exempt:
            return await handler(request)
        if not isinstance(self._countersign, AsyncCountersign):
            raise TypeError("Run the agent with invoke or stream, or give it an AsyncCountersign.")
        try:
            call = self._call_of(request)
            kept = Kept(call, request.runtime.config)
            if found := await kept.load_async():
                return cast(Result, found[0])
            approved = await self._countersign.ask(call)
        except _REFUSALS as error:
            return _refusal(request, error)
        try:
            result = await handler(_with(request, approved))
        except ParentCommand:
            await self._countersign.report(approved, "succeeded")
            raise
        except BaseException as error:
            await self._countersign.report(approved, "failed", type(error).__name__)
            raise_no_interrupt(error)
        await kept.save_async(result)
        await self._countersign.report(approved, _outcome_of(result))
        return result

    def _call_of(self, request: ToolCallRequest) -> ToolCall:
        call_id = request.tool_call["id"]
        if not call_id:
            raise TypeError("The model gave the call no id.")
        return ToolCall(
            tool=request.tool_call["name"],
            arguments=_arguments_of(request),
            session=self._session(request),
            call_id=call_id,
            ordinal=_ordinal_of(request),
            context=self._context,
            timeout=self._timeout,
        )


def _arguments_of(request: ToolCallRequest) -> dict[str, Any]:
    """Without what the tool gets from the program, also where a model wrote it."""
    hidden = hidden_from_model(request.tool)
    return {name: each for name, each in request.tool_call["args"].items() if name not in hidden}


def _ordinal_of(request: ToolCallRequest) -> int:
    """
    Some models give each call of a conversation the same id. The turn tells them apart. A graph
    that has only the tools of the gate has no turns, but messages.
    """
    state: Any = request.state
    members = state if isinstance(state, Mapping) else {}
    return int(members.get(_TURN) or max(1, _turns_in(members.get("messages", []))))


def _turns_in(messages: Iterable[Any]) -> int:
    """Of the model: its messages with calls of tools."""
    return sum(1 for each in messages if getattr(each, "tool_calls", None))


def _outcome_of(result: Any) -> CallOutcome:
    """A tool that failed is told to the model."""
    return "failed" if getattr(result, "status", None) == "error" else "succeeded"


def _thread_of(request: ToolCallRequest) -> str:
    thread = request.runtime.config.get("configurable", {}).get("thread_id")
    if not thread:
        raise TypeError("The run has no thread_id. Give one, or give the middleware a session.")
    return str(thread)


def _with(request: ToolCallRequest, approved: Approved) -> ToolCallRequest:
    return request.override(tool_call={**request.tool_call, "args": approved.arguments})


def _refusal(
    request: ToolCallRequest, error: NotApproved | Unavailable | WrongArguments
) -> ToolMessage:
    return ToolMessage(
        content=error.to_model,
        name=request.tool_call["name"],
        tool_call_id=request.tool_call["id"],
        status="error",
    )
