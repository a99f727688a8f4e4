"""A function that asks before it runs."""

from contextvars import ContextVar

from countersign_sdk import Countersign
from countersign_sdk.gate import gate

countersign = Countersign()
conversation: ContextVar[str] = ContextVar("conversation")


@gate(countersign, session=conversation)
def refund_payment(payment_id: str, amount: float) -> str:
    return f"refunded {amount} of {payment_id}"
