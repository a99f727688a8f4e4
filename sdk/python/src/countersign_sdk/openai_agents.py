"""Gates a function tool of the OpenAI Agents SDK."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, Literal

from agents import FunctionTool
from agents.tool import invoke_function_tool
from agents.tool_context import ToolContext

from . import AsyncCountersign, JsonText, NotApproved, ToolCall, Unavailable

_UNREADABLE = "The arguments are no JSON object, so this call did not run. Send a valid one."


def gate_tool(
    tool: FunctionTool,
    countersign: AsyncCountersign,
    *,
    session: str | Callable[[ToolContext[Any]], str],
    on_refusal: Literal["tell_model", "raise"] = "tell_model",
    server: str | None = None,
    context: Mapping[str, Any] | None = None,
    timeout: str | None = None,
) -> FunctionTool:
    """
    The same tool, which runs only with an approval. `session` is the conversation, or a function
    that reads it from the context of the call. Without an approval, the model gets a text in the
    place of the result, or the run ends with the error.

    Raises TypeError for a tool that the gate cannot hold, such as one that runs at the provider.
    """
    if not isinstance(tool, FunctionTool):
        raise TypeError(
            f"{getattr(tool, 'name', tool)!r} is no function tool, so no gate can hold it."
        )
    if not isinstance(countersign, AsyncCountersign):
        raise TypeError("gate_tool needs an AsyncCountersign.")
    if not callable(session) and not session:
        raise TypeError("gate_tool needs the session of the calls.")
    # The tool's own time limit is for its run, not for reviewers.
    inner = copy.copy(tool)

    async def ask_and_run(call_context: ToolContext[Any], text: str) -> Any:
        try:
            arguments = JsonText(text or "{}")
        except (TypeError, ValueError):
            return _UNREADABLE
        call = ToolCall(
            tool=tool.name,
            server=server,
            arguments=arguments,
            session=session(call_context) if callable(session) else session,
            call_id=call_context.tool_call_id,
            context=context,
            timeout=timeout,
        )
        try:
            approved = await countersign.ask(call)
        except (NotApproved, Unavailable) as error:
            if on_refusal == "raise":
                raise
            return error.to_model
        try:
            result = await invoke_function_tool(
                function_tool=inner, context=call_context, arguments=approved.arguments_text
            )
        except BaseException as error:
            await countersign.report(approved, "failed", type(error).__name__)
            raise
        await countersign.report(approved, "succeeded")
        return result

    gated = copy.copy(tool)
    gated.timeout_seconds = None
    gated.on_invoke_tool = ask_and_run
    return gated
