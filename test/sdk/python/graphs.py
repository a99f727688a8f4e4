"""Graphs of LangGraph and tools of LangChain, against a service in this process."""

import unittest
from typing import Annotated, Any

from langchain_core.messages import AIMessage
from langchain_core.tools import InjectedToolArg, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from service import Service

from countersign_sdk import Countersign
from countersign_sdk.langchain import CountersignMiddleware


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


if __name__ == "__main__":
    unittest.main()
