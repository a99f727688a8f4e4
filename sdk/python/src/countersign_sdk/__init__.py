"""Asks Countersign before a tool call runs, and runs it only with an approval."""

from .arguments import JsonText
from .calls import Approved, CallOutcome, Ticket, ToolCall
from .client import AsyncCountersign, Countersign
from .errors import NotApproved, NotApprovedStatus, Unavailable, UnavailableReason
from .state.ledger import FileLedger, Ledger, MemoryLedger

__all__ = [
    "Approved",
    "AsyncCountersign",
    "CallOutcome",
    "Countersign",
    "FileLedger",
    "JsonText",
    "Ledger",
    "MemoryLedger",
    "NotApproved",
    "NotApprovedStatus",
    "Ticket",
    "ToolCall",
    "Unavailable",
    "UnavailableReason",
]
