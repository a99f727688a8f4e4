"""
A tool that runs only with an approval. `python refund.py pay_81 12.50` asks for one.

It reads COUNTERSIGN_URL and COUNTERSIGN_TOKEN, or the file of `countersign enroll`.
"""

import sys
from decimal import Decimal

from countersign_sdk import Countersign, NotApproved, ToolCall, Unavailable


def refund_payment(payment_id: str, amount: Decimal) -> str:
    """Stands for the payment provider."""
    return f"refunded {amount} of {payment_id}"


payment, amount, *call_ids = sys.argv[1:] or ["pay_81", "12.50"]
args = {"payment_id": payment, "amount": Decimal(amount)}
thread_id = "thread-1"
call_id = call_ids[0] if call_ids else None

try:
    countersign = Countersign()
    call = ToolCall(tool="refund_payment", arguments=args, session=thread_id, call_id=call_id)
    print(countersign.run(call, lambda approved: refund_payment(**approved)))
except (NotApproved, Unavailable) as error:
    # What the model gets in the place of the result.
    sys.exit(error.to_model)
