"""A graph that is suspended until a call was decided."""

from typing import TypedDict

from countersign_sdk import Countersign
from countersign_sdk.langgraph import run
from langgraph.graph import StateGraph


class State(TypedDict):
    payment_id: str
    amount: float
    result: str


countersign = Countersign()


def refund(state: State):
    arguments = {"payment_id": state["payment_id"], "amount": state["amount"]}
    result = run(countersign, "refund_payment", arguments, lambda given: refund_payment(**given))
    return {"result": result}


def refund_payment(payment_id: str, amount: float) -> str:
    return f"refunded {amount} of {payment_id}"


builder = StateGraph(State).add_node("refund", refund).set_entry_point("refund")
