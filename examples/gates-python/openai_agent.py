"""An agent of the OpenAI Agents SDK whose tool asks before it runs."""

from agents import Agent, function_tool
from countersign_sdk import AsyncCountersign
from countersign_sdk.openai_agents import gate_tool


@function_tool
async def refund_payment(payment_id: str, amount: float) -> str:
    return f"refunded {amount} of {payment_id}"


countersign = AsyncCountersign()
refund = gate_tool(refund_payment, countersign, session=lambda call: call.context["conversation"])
agent = Agent(name="Support", tools=[refund])
