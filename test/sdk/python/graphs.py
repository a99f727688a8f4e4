"""Graphs of LangGraph and tools of LangChain, against a service in this process."""

import asyncio
import unittest
from typing import Annotated, Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, RemoveMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import InjectedToolArg, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import ParentCommand
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from service import Service
from typing_extensions import TypedDict

from countersign_sdk import AsyncCountersign, Countersign, NotApproved, ToolCall
from countersign_sdk.langchain import CountersignMiddleware
from countersign_sdk.langgraph import run


def approving() -> Service:
    service = Service()
    service.outcome = lambda _: "approved"
    return service


def graph_of(service: Service, *tools: Any) -> Any:
    """Runs the tool calls of its messages, each with an approval."""
    middleware = CountersignMiddleware(Countersign(**service.options))
    node = ToolNode(list(tools), wrap_tool_call=middleware.wrap_tool_call)
    builder = StateGraph(MessagesState).add_node("tools", node).set_entry_point("tools")
    return builder.compile(checkpointer=InMemorySaver())


def calling(name: str, id: str = "call_1", **args: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": id}])


class Said(TypedDict):
    said: list[Any]


class Hidden(unittest.TestCase):
    def test_arguments_that_a_model_writes_are_not_asked_for_and_do_not_reach_the_tool(
        self,
    ) -> None:
        ran: list[Any] = []

        @tool
        def pay(n: int, user: Annotated[str, InjectedToolArg] = "of the program") -> str:
            """Pays."""
            ran.append((n, user))
            return "paid"

        service = approving()
        config: Any = {"configurable": {"thread_id": "1"}}
        message = calling("pay", n=1, user="admin")
        graph_of(service, pay).invoke({"messages": [message]}, config)
        self.assertEqual(ran, [(1, "of the program")])
        self.assertEqual([row["arguments"] for row in service.rows.values()], [{"n": 1}])


class HandingOver(unittest.TestCase):
    @tool
    def hand_over() -> str:
        """Hands over to another agent."""
        raise ParentCommand(Command(graph=Command.PARENT, goto="other"))

    def test_is_reported_as_succeeded(self) -> None:
        service = approving()
        graph = graph_of(service, self.hand_over)
        config: Any = {"configurable": {"thread_id": "1"}}
        with self.assertRaises(ParentCommand):
            graph.invoke({"messages": [calling("hand_over")]}, config)
        self.assertEqual([each["outcome"] for each in service.results], ["succeeded"])

    def test_is_reported_as_succeeded_by_the_async_client(self) -> None:
        service = approving()
        middleware = CountersignMiddleware(AsyncCountersign(**service.options))
        node = ToolNode([self.hand_over], awrap_tool_call=middleware.awrap_tool_call)
        builder = StateGraph(MessagesState).add_node("tools", node).set_entry_point("tools")
        config: Any = {"configurable": {"thread_id": "1"}}
        with self.assertRaises(ParentCommand):
            given = {"messages": [calling("hand_over")]}
            asyncio.run(builder.compile().ainvoke(given, config))
        self.assertEqual([each["outcome"] for each in service.results], ["succeeded"])


class Repeated(unittest.TestCase):
    """A node that runs again after one of its calls ran."""

    def setUp(self) -> None:
        self.service = approving()
        self.config: Any = {"configurable": {"thread_id": "1"}}
        self.ran: list[str] = []
        self.failing = iter([True])

    def fail_once(self) -> None:
        if next(self.failing, False):
            raise OSError("It fails once.")

    def graph(self, node: Any) -> Any:
        builder = StateGraph(Said).add_node("node", node).set_entry_point("node")
        return builder.compile(checkpointer=InMemorySaver())

    def outcomes(self) -> list[str]:
        return [each["outcome"] for each in self.service.results]

    def pay(self, given: dict[str, Any]) -> dict[str, Any]:
        self.ran.append(given["to"])
        given["paid"] = True
        return given

    def test_gets_the_results_of_calls_that_ran(self) -> None:
        client = Countersign(**self.service.options)

        def node(_: Any) -> Any:
            said = [run(client, "pay", {"to": to}, self.pay) for to in ("a", "b")]
            self.fail_once()
            return {"said": said}

        graph = self.graph(node)
        graph.invoke({"said": []}, self.config)
        with self.assertRaises(OSError):
            graph.invoke(Command(resume=True), self.config)
        self.assertEqual(
            graph.invoke(None, self.config)["said"],
            [{"to": "a", "paid": True}, {"to": "b", "paid": True}],
        )
        self.assertEqual((self.ran, self.outcomes()), (["a", "b"], ["succeeded"] * 2))

    def test_takes_equal_calls_for_one_without_an_id(self) -> None:
        client = Countersign(**self.service.options)
        ids = (None, None, "2")

        def node(_: Any) -> Any:
            return {"said": [run(client, "pay", {"to": "a"}, self.pay, call_id=id) for id in ids]}

        graph = self.graph(node)
        graph.invoke({"said": []}, self.config)
        graph.invoke(Command(resume=True), self.config)
        self.assertEqual(self.ran, ["a", "a"])

    def test_gets_them_in_a_graph_of_asyncio_and_in_a_subgraph(self) -> None:
        client = AsyncCountersign(**self.service.options)

        async def pay(given: dict[str, Any]) -> dict[str, Any]:
            return self.pay(given)

        async def node(_: Any) -> Any:
            said = [await run(client, "pay", {"to": "a"}, pay)]
            self.fail_once()
            return {"said": said}

        builder = StateGraph(Said).add_node("inner", node).set_entry_point("inner").compile()

        async def main() -> Any:
            graph = self.graph(builder)
            await graph.ainvoke({"said": []}, self.config)
            with self.assertRaises(OSError):
                await graph.ainvoke(Command(resume=True), self.config)
            return await graph.ainvoke(None, self.config)

        self.assertEqual(asyncio.run(main())["said"], [{"to": "a", "paid": True}])
        self.assertEqual((self.ran, self.outcomes()), (["a"], ["succeeded"]))

    def test_hears_what_to_do_after_a_call_that_failed(self) -> None:
        client = Countersign(**self.service.options)

        def pay(given: dict[str, Any]) -> Any:
            self.pay(given)
            raise OSError("It fails.")

        graph = self.graph(lambda _: {"said": [run(client, "pay", {"to": "a"}, pay)]})
        graph.invoke({"said": []}, self.config)
        with self.assertRaises(OSError):
            graph.invoke(Command(resume=True), self.config)
        with self.assertRaisesRegex(NotApproved, "Check its effects"):
            graph.invoke(None, self.config)
        self.assertEqual((self.ran, self.outcomes()), (["a"], ["failed"]))

    def test_gets_the_messages_of_tools_that_ran(self) -> None:
        def pay(to: str) -> str:
            """Pays."""
            self.ran.append(to)
            return f"paid {to}"

        def check(to: str) -> str:
            """Checks."""
            self.fail_once()
            return to

        middleware = CountersignMiddleware(Countersign(**self.service.options))
        wrap = {"wrap_tool_call": middleware.wrap_tool_call, "handle_tool_errors": False}
        node = ToolNode([tool(pay), tool(check)], **wrap)
        builder = StateGraph(MessagesState).add_node("tools", node).set_entry_point("tools")
        graph = builder.compile(checkpointer=InMemorySaver())
        calls = [
            {"name": name, "args": {"to": "a"}, "id": id}
            for name, id in (("pay", "1"), ("check", "2"))
        ]
        with self.assertRaises(OSError):
            graph.invoke({"messages": [AIMessage("", tool_calls=calls)]}, self.config)
        messages = graph.invoke(None, self.config)["messages"]
        self.assertEqual([each.content for each in messages[1:2]], ["paid a"])
        self.assertEqual(self.ran, ["a"])

    def test_hears_that_a_tool_must_not_interrupt_the_graph(self) -> None:
        @tool
        def pay(to: str) -> str:
            """Pays."""
            return f"{to} {interrupt('which account?')}"

        with self.assertRaisesRegex(TypeError, "interrupted the graph after it was approved"):
            graph_of(self.service, pay).invoke({"messages": [calling("pay", to="a")]}, self.config)
        self.assertEqual(self.outcomes(), ["failed"])


class Trimming(AgentMiddleware[Any, Any, Any]):
    """Leaves the model two messages."""

    def before_model(self, state: Any, runtime: Any) -> Any:
        old = state["messages"][:-2]
        return {"messages": [RemoveMessage(each.id) for each in old]} if old else None


class Model(BaseChatModel):
    """Pays three times with one id for all calls, then ends."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self

    def _generate(self, messages: list[Any], *_: Any, **__: Any) -> ChatResult:
        paid = getattr(messages[-1], "content", "")
        is_over = paid == "paid 3"
        message = AIMessage("done") if is_over else calling("pay", to="a")
        return ChatResult(generations=[ChatGeneration(message=message)])


class Asking(Countersign):
    """Keeps the calls, and is interrupted at the second one."""

    def __init__(self, **options: str) -> None:
        super().__init__(**options)
        self.asked: list[ToolCall] = []

    def ask(self, call: ToolCall, **more: Any) -> Any:
        self.asked.append(call)
        if len(self.asked) == 2:
            raise OSError("The process ends.")
        return super().ask(call, **more)


class Ids(unittest.TestCase):
    def test_that_come_again_are_other_calls_where_messages_are_trimmed(self) -> None:
        ran: list[str] = []

        @tool
        def pay(to: str) -> str:
            """Pays."""
            ran.append(to)
            return f"paid {len(ran)}"

        client = Asking(**approving().options)
        agent = create_agent(
            Model(),
            [pay],
            middleware=[Trimming(), CountersignMiddleware(client)],
            checkpointer=InMemorySaver(),
        )
        config: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 40}
        with self.assertRaises(OSError):
            agent.invoke({"messages": [("user", "Pay.")]}, config)
        agent.invoke(None, config)
        self.assertEqual(ran, ["a", "a", "a"])
        # A call that is asked again is the same one.
        self.assertEqual([each.ordinal for each in client.asked], [1, 2, 2, 3])

    def test_that_come_again_are_other_calls_in_a_history_of_the_caller(self) -> None:
        ran: list[str] = []

        @tool
        def pay(to: str) -> str:
            """Pays."""
            ran.append(to)
            return f"paid {len(ran)}"

        graph = graph_of(approving(), pay)
        for count in (1, 2):
            history = [calling("pay", to="a"), ToolMessage("paid", tool_call_id="call_1")] * count
            config: Any = {"configurable": {"thread_id": "1"}}
            graph.invoke({"messages": history[:-1]}, config)
        self.assertEqual(ran, ["a", "a"])


if __name__ == "__main__":
    unittest.main()
