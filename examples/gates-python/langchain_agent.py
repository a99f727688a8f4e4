"""A LangChain agent whose tools ask before they run."""

from countersign_sdk import AsyncCountersign
from countersign_sdk.langchain import CountersignMiddleware
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver


def refund_payment(payment_id: str, amount: float) -> str:
    """Refunds a payment."""
    return f"refunded {amount} of {payment_id}"


def agent_of(model: BaseChatModel, checkpointer: BaseCheckpointSaver):
    gate = CountersignMiddleware(AsyncCountersign())
    return create_agent(model, [refund_payment], middleware=[gate], checkpointer=checkpointer)
