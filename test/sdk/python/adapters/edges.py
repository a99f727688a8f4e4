"""What no gate can hold, and calls of unusual shapes."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import inspect
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from agents import Agent, CustomTool, FunctionTool, Runner, WebSearchTool, function_tool, handoff
from agents.testing import ScriptedModel, assistant_message, function_call
from frameworks import Model
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from countersign_sdk import AsyncCountersign, Countersign, ToolCall
from countersign_sdk.claude import pre_tool_use
from countersign_sdk.gate import gate
from countersign_sdk.langchain import CountersignMiddleware
from countersign_sdk.langgraph import approve
from countersign_sdk.openai_agents import gate_tool

Course = str
COURSE = "x: approve shapes"
Clients = tuple[Countersign, AsyncCountersign]


def refusals(clients: Clients, ran: list[Any]) -> dict[str, Callable[[], Any]]:
    """Each raises TypeError."""
    client, async_client = clients

    def ask() -> Callable[[Any], Any]:
        return gate(client, session=lambda: "refused")

    def pay(refused: Any = None, **rest: Any) -> None:
        ran.append((refused, rest))

    async def pay_async(refused: Any = None) -> None:
        ran.append(refused)

    def generator() -> Any:
        yield ran.append(1)

    async def async_generator() -> Any:
        yield ran.append(1)

    def unnamed(*refused: Any) -> None:
        ran.append(refused)

    def positional(refused: Any, /, **rest: Any) -> None:
        ran.append((refused, rest))

    custom = CustomTool(
        name="c", description="", on_invoke_tool=lambda *_: "", format={"type": "text"}
    )
    agent = Agent(name="other")

    async def run(middleware: Any, *, is_async: bool, config: dict[str, Any]) -> None:
        made = create_agent(
            Model(call={"name": "refused", "args": {"refused": 1}, "id": "1"}),
            [tool("refused", description="Refused.")(lambda refused: ran.append(refused))],
            middleware=[middleware],
            checkpointer=InMemorySaver() if config else None,
        )
        messages = {"messages": [("user", "Pay.")]}
        if is_async:
            await made.ainvoke(messages, config)
        else:
            made.invoke(messages, config)

    def node(_: dict[str, Any]) -> dict[str, Any]:
        approve(client, "refused", {"refused": 1})
        ran.append(1)
        return {}

    threaded = {"configurable": {"thread_id": "refused"}}
    graph = StateGraph(dict).add_node("pay", node).set_entry_point("pay").compile()
    gated = CountersignMiddleware(async_client)
    return {
        "a generator": lambda: ask()(generator),
        "an async generator": lambda: ask()(async_generator),
        "arguments without names": lambda: ask()(unnamed),
        "an object": lambda: ask()(tool("refused", description="x")(pay_async)),
        "the other client": lambda: ask()(pay_async),
        "a missing parameter": lambda: gate(client, session="conversation")(pay),
        "an object of its own": lambda: ask()(pay)(object()),
        "NaN": lambda: ask()(pay)(math.nan),
        "a list of sessions": lambda: gate(client, session=lambda: ["x"])(pay)(1),  # type: ignore[arg-type,return-value]
        "an argument twice": lambda: ask()(positional)(1, **{"refused": 2}),
        "a hosted tool": lambda: gate_tool(WebSearchTool(), async_client, session="refused"),  # type: ignore[arg-type]
        "a handoff": lambda: gate_tool(handoff(agent), async_client, session="refused"),  # type: ignore[arg-type]
        "a custom tool": lambda: gate_tool(custom, async_client, session="refused"),  # type: ignore[arg-type]
        "a sync client": lambda: gate_tool(_function(ran), client, session="refused"),  # type: ignore[arg-type]
        "no session": lambda: gate_tool(_function(ran), async_client, session=""),
        "a text of exempt tools": lambda: CountersignMiddleware(client, exempt="refused"),
        "a text of exempt tools of Claude": lambda: pre_tool_use(async_client, exempt="Read"),
        "a graph without a checkpointer": lambda: graph.invoke({}, threaded),
        "a graph without a thread": lambda: graph.invoke({}),
        "a run without a thread": lambda: run(gated, is_async=True, config={}),
        "an async client in a sync run": lambda: run(gated, is_async=False, config=threaded),
    }


def _function(ran: list[Any]) -> FunctionTool:
    async def invoke(_: Any, text: str) -> str:
        ran.append(text)
        return text

    schema = {"type": "object", "properties": {}, "additionalProperties": True}
    return FunctionTool("pay", "Pays.", schema, invoke, strict_json_schema=False)


async def digits(client: AsyncCountersign, text: str, **more: Any) -> list[str]:
    """What the tool got, or the model."""
    ran: list[Any] = []
    gated = gate_tool(_function(ran), client, session=f"shapes {text}", **more)
    call = function_call("pay", text, call_id="1")
    model = ScriptedModel([[call], [assistant_message("done")]])
    result = await Runner.run(Agent(name="Payer", model=model, tools=[gated]), "Pay.")
    outputs = [each.output for each in result.new_items if each.type == "tool_call_output_item"]
    return ran or [str(each) for each in outputs]


def all_kinds(client: Countersign) -> list[str]:
    @gate(client, session="thread")
    def pay(a: int, /, b: int = 2, *, c: str, deep: Any, thread: str, **rest: str) -> str:
        return json.dumps([a, b, c, deep, rest])

    deep = {"deep": [1.5, "4.50"]}
    return [pay(1, c="three", deep=deep, thread="shapes", rest="x: approve shapes")]


async def function_as_tool(client: AsyncCountersign) -> list[str]:
    """The gate below a decorator of a framework, which reads the types of the function."""

    @gate(client, session=lambda: "shapes")
    async def pay(amounts: list[float], course: Course) -> str:
        return f"{json.dumps(amounts)} {type(course).__name__}"

    assert not hasattr(pay, "__wrapped__")
    text = '{"amounts": [1.5], "course": "x: approve shapes"}'
    model = ScriptedModel([[function_call("pay", text, call_id="1")], [assistant_message("done")]])
    agent = Agent(name="Payer", model=model, tools=[function_tool(pay)])
    result = await Runner.run(agent, "Pay.")
    return [str(each.output) for each in result.new_items if each.type == "tool_call_output_item"]


class Hanging(AsyncCountersign):
    """Does not end when it is cancelled."""

    calls: ClassVar[list[ToolCall]] = []

    async def ask(self, call: ToolCall) -> Any:
        self.calls.append(call)
        # The second one comes when the program ends.
        for _ in range(2):
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()


class Broken(AsyncCountersign):
    async def ask(self, call: ToolCall) -> Any:
        raise RuntimeError(call.tool)


async def hook(client: AsyncCountersign, name: str, **more: Any) -> str:
    """What the hook of Claude decides, within its limit."""
    (ask,) = pre_tool_use(client, limit="2s").hooks
    ids = {"session_id": "s", "tool_use_id": "t"}
    given = {"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": {}, **ids, **more}
    output = await ask(given, "t", {"signal": None})
    decision = output["hookSpecificOutput"]
    assert decision["hookEventName"] == given["hook_event_name"]
    return str(decision["permissionDecision"])


async def hook_names(options: dict[str, Any]) -> list[str]:
    client = Hanging(**options)
    names = [
        ("Bash", {}),
        ("mcp__pay__refund__all", {}),
        ("mcp__a__b__c", {"mcp_server": {"name": "a__b"}}),
        ("Bash", {"hook_event_name": "PreSkillShellCommand"}),
    ]
    decisions = await asyncio.gather(*(hook(client, name, **more) for name, more in names))
    sent = sorted(f"{call.server} {call.tool}" for call in client.calls)
    return [*sent, *decisions, await hook(Broken(**options), "Bash")]


def tool_node(client: Countersign) -> list[str]:
    """Two tools at once in one node: what ran, what the model got, what is left of the graph."""
    ran: list[str] = []

    def pay(n: int, course: str) -> str:
        approved = approve(client, "pay", {"n": n, "course": course})
        ran.append(str(n))
        return f"paid {approved.arguments['n']}"

    names = {"name": "pay", "type": "tool_call"}
    calls = [{**names, "id": f"{n}", "args": {"n": n, "course": COURSE}} for n in (1, 2)]
    node = ToolNode([tool("pay", description="Pays.")(pay)])
    builder = StateGraph(MessagesState).add_node("tools", node).set_entry_point("tools")
    graph = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "tool node"}}
    result = graph.invoke({"messages": [AIMessage("", tool_calls=calls)]}, config)
    for _ in range(3):
        if graph.get_state(config).next:
            result = graph.invoke(Command(resume=True), config)
    paid = [str(each.content) for each in result["messages"][1:]]
    return [*sorted(ran), *paid, *graph.get_state(config).next]


def load(path: Path) -> None:
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    assert spec and spec.loader
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


async def settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
