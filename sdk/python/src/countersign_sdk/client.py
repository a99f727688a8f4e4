"""Both clients: one for threads, one for `asyncio`."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from .calls import Approved, CallOutcome, CallResult, Ticket, ToolCall
from .checks import AnyTicket
from .core import Core
from .limits import Park
from .state.ledger import Ledger
from .transport.drivers import drive, drive_async

T = TypeVar("T")


class _Client:
    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        provisioner: str | None = None,
        timeout: str = "15m",
        limit: str | None = None,
        context: Mapping[str, Any] | None = None,
        ledger: Ledger | None = None,
        on_pending: Callable[[Ticket], Awaitable[None] | None] | None = None,
    ) -> None:
        """
        Raises `Unavailable` when the address or the token is missing or wrong.

        - `url`, `token`: default `COUNTERSIGN_URL` and `COUNTERSIGN_TOKEN`, or the file of
          `countersign enroll`.
        - `provisioner`: a fleet's token. It makes an instance of the agent, with a credential.
        - `timeout`: how long reviewers have where the call does not say it.
        - `limit`: the most time that an `ask` may take, withdrawing included, such as `9m` below
          the limit of a runtime. Default: the timeout and 30 s.
        - `context`: of every call.
        - `ledger`: keeps the keys of calls without `call_id`. Default: in memory.
        - `on_pending`: a person is asked. Called once for each call, and once in a process for
          equal calls that park.
        """
        self._core = Core(
            url=url,
            token=token,
            provisioner=provisioner,
            timeout=timeout,
            limit=limit,
            context=context,
            ledger=ledger,
            on_pending=on_pending,
        )


class Countersign(_Client):
    """
    For threads. An event that is set as `cancel`, and Ctrl-C, withdraw the request. `cancel` then
    raises `NotApproved` with the status `cancelled`.
    """

    def run(
        self,
        call: ToolCall,
        fn: Callable[[dict[str, Any]], T],
        *,
        cancel: threading.Event | None = None,
        park: Park = False,
    ) -> T:
        """
        Asks, then runs `fn` with the arguments that were approved, and reports whether it
        succeeded. Raises `NotApproved` or `Unavailable` without running it, and what `fn` raises.

        `park` is for a runtime that ends calls before people decide. The ask ends after this time,
        by default `55s`, with the status `waiting`, and the request stays open. The same call later
        goes on with it. Equal calls at the same time share it, and an abort withdraws it only for
        the last of them.
        """
        started = drive(self._core.approve(call, park), cancel)
        try:
            result = fn(started.approved.arguments)
        except BaseException as error:
            drive(started.ran(error))
            raise
        drive(started.ran())
        return result

    def ask(
        self, call: ToolCall, *, cancel: threading.Event | None = None, park: Park = False
    ) -> Approved:
        """
        Returns only an approval that is good for one run, now. Raises `NotApproved` and
        `Unavailable`.
        """
        return drive(self._core.ask(call, park), cancel)

    def report(
        self,
        started: Approved | str,
        outcome: CallOutcome,
        detail: str | None = None,
        *,
        arguments_digest: str | None = None,
    ) -> None:
        """
        Tells reviewers, once, what came of a call that `ask` or `settle` approved. It takes a few
        seconds at most, and raises nothing. `run` does it itself. `detail` is without arguments,
        and cut after 2,000 characters. `arguments_digest` is the SHA-256 of what ran, if another
        call ran than the one that was approved.
        """
        report = self._core.requests.report
        drive(report(started, CallResult(outcome, detail, arguments_digest)))

    def start(
        self, call: ToolCall, *, cancel: threading.Event | None = None, keep: bool = False
    ) -> Ticket:
        """
        Only makes the request. `settle` waits for its decision, in this process or a later one.
        `keep` is for a call that will be made again, as a suspended run does: where the service is
        away, an earlier request of the call is not withdrawn.
        """
        return drive(self._core.start(call, keep), cancel)

    def is_pending(self, ticket: AnyTicket) -> bool:
        """
        True while no one has decided. What was decided, only `settle` says, or `run` of the same
        call.
        """
        return drive(self._core.is_pending(ticket))

    def settle(self, ticket: AnyTicket, *, cancel: threading.Event | None = None) -> Approved:
        """
        As `ask`, for a request that was made before. With a ticket, the request must be the
        question that it was made for.
        """
        return drive(self._core.settle(ticket), cancel)

    def withdraw(self, ticket: AnyTicket) -> bool:
        """
        True when the request is cancelled now. False when it was approved, denied or expired
        before.
        """
        return drive(self._core.withdraw(ticket))

    def report_tools(self, report: Mapping[str, Any]) -> None:
        """Reports the tools of this instance, as the service's `PUT /tool_catalog` takes them."""
        drive(self._core.report_tools(report))


class AsyncCountersign(_Client):
    """For `asyncio`, as `Countersign`. Cancelling the task withdraws the request."""

    async def run(
        self,
        call: ToolCall,
        fn: Callable[[dict[str, Any]], Awaitable[T]] | Callable[..., T],
        *,
        park: Park = False,
    ) -> T:
        started = await drive_async(self._core.approve(call, park))
        try:
            result: Any = fn(started.approved.arguments)
            if inspect.isawaitable(result):
                result = await result
        except BaseException as error:
            await drive_async(started.ran(error))
            raise
        await drive_async(started.ran())
        return result  # type: ignore[no-any-return]

    async def ask(self, call: ToolCall, *, park: Park = False) -> Approved:
        return await drive_async(self._core.ask(call, park))

    async def report(
        self,
        started: Approved | str,
        outcome: CallOutcome,
        detail: str | None = None,
        *,
        arguments_digest: str | None = None,
    ) -> None:
        report = self._core.requests.report
        await drive_async(report(started, CallResult(outcome, detail, arguments_digest)))

    async def start(self, call: ToolCall, *, keep: bool = False) -> Ticket:
        return await drive_async(self._core.start(call, keep))

    async def is_pending(self, ticket: AnyTicket) -> bool:
        return await drive_async(self._core.is_pending(ticket))

    async def settle(self, ticket: AnyTicket) -> Approved:
        return await drive_async(self._core.settle(ticket))

    async def withdraw(self, ticket: AnyTicket) -> bool:
        return await drive_async(self._core.withdraw(ticket))

    async def report_tools(self, report: Mapping[str, Any]) -> None:
        await drive_async(self._core.report_tools(report))
