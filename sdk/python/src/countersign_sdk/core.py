"""
The steps of asking before a call runs, for both clients. Only `approve` and `settle` that return
mean that it may; everything else raises.
"""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote

from .arguments import parsed, read_once, text_of
from .calls import Approved, Ticket, ToolCall
from .checks import (
    AnyTicket,
    digest_of,
    key_of,
    read_ticket,
    require_names,
    require_same_call,
)
from .durations import seconds_of
from .errors import NotApproved, Unavailable
from .exact import canonical
from .keys import Keys
from .ledger import Ledger, MemoryLedger
from .request import Request, SentCall, read_request, read_start
from .transport.credentials import credentials_for
from .transport.effects import Invoke, Steps, is_abort
from .transport.refusals import raise_understandable, start_refused
from .transport.service import Refusal, ServiceCall, call_service

_WAIT_SECONDS = 25
_WITHDRAW_SECONDS = 5.0
_MARGIN_SECONDS = 30.0
_SHORTEST_SECONDS = 0.25
"""Also a caller that was held up past its limit tries to withdraw."""


@dataclass(frozen=True, kw_only=True)
class _Asking:
    token: str
    until: float
    """Of `time.monotonic()`. Before the limit, so that there is time to withdraw."""


@dataclass(frozen=True, kw_only=True)
class _Prepared(_Asking):
    call: ToolCall
    sent: SentCall
    arguments: dict[str, Any]
    key: str
    entry: str | None
    """Of the key in the ledger."""
    end: float
    """The limit."""

    def require_same(self) -> None:
        """Raises `NotApproved` if the caller's arguments are other ones by now."""
        if text_of(self.call.arguments) != self.sent.arguments:
            raise NotApproved("changed")


class Core:
    def __init__(
        self,
        *,
        url: str | None,
        token: str | None,
        provisioner: str | None,
        timeout: str,
        limit: str | None,
        context: Mapping[str, Any] | None,
        ledger: Ledger | None,
        on_pending: Callable[[Ticket], Awaitable[None] | None] | None,
    ) -> None:
        self._credentials = credentials_for(url, token, provisioner)
        self._timeout = timeout
        self._limit = limit
        self._context = context
        self._on_pending = on_pending
        self._keys = Keys(MemoryLedger() if ledger is None else ledger)
        seconds_of(timeout, "timeout")
        if limit is not None:
            seconds_of(limit, "limit")

    def ask(self, call: ToolCall) -> Steps[Approved]:
        approved, entry = yield from self.approve(call)
        yield from self.forget(entry)
        return approved

    def approve(self, call: ToolCall) -> Steps[tuple[Approved, str | None]]:
        """
        With the entry to forget once the caller is through with the call. Until then, a crash
        leaves its key, so that it is not run again.
        """
        asking = yield from self._prepare(call)
        request: Request | None = None
        try:
            request = yield from self._create(asking)
            if request.status == "pending" and self._on_pending is not None:
                pending, ticket = self._on_pending, self._ticket_of(request, asking)
                yield Invoke(lambda: pending(ticket))
            request = yield from self._await(request, asking)
            asking.require_same()
        except GeneratorExit:
            raise
        except BaseException as error:
            yield from self._give_up(asking, request, error)
            raise_understandable(error)
        try:
            approved = yield from self._start(request, asking, asking.arguments)
            # While the service recorded the start, too.
            asking.require_same()
            return approved, asking.entry
        except GeneratorExit:
            raise
        except BaseException:
            yield from self.forget(asking.entry)
            raise

    def start(self, call: ToolCall) -> Steps[Ticket]:
        asking = yield from self._prepare(call)
        try:
            request = yield from self._create(asking)
            return self._ticket_of(request, asking)
        except GeneratorExit:
            raise
        except BaseException as error:
            yield from self._give_up(asking, None, error)
            raise_understandable(error)

    def settle(self, given: AnyTicket) -> Steps[Approved]:
        request_id, ticket = read_ticket(given)
        entry = None if ticket is None else ticket.entry
        until, _ = self._limits(None)
        try:
            token = yield from self._token(0, until)
            asking = _Asking(token=token, until=until)
            first = yield from self._read(request_id, asking, 0)
            if ticket is not None:
                require_same_call(ticket, first)
            asking = replace(asking, until=self._settled_until(first, until))
            request = yield from self._await(first, asking)
            approved = yield from self._start(request, asking, parsed(request.arguments))
            yield from self.forget(entry)
            return approved
        except GeneratorExit:
            raise
        except BaseException as error:
            if is_abort(error):
                yield from self._withdraw_quietly(given)
            elif isinstance(error, NotApproved) and error.status != "changed":
                yield from self.forget(entry)
            raise_understandable(error)

    def withdraw(self, given: AnyTicket) -> Steps[bool]:
        request_id, ticket = read_ticket(given)
        until = time.monotonic() + _WITHDRAW_SECONDS
        is_cancelled = yield from self._delete(f"/requests/{request_id}", until)
        if is_cancelled and ticket is not None:
            yield from self.forget(ticket.entry)
        return is_cancelled

    def report_tools(self, report: Mapping[str, Any]) -> Steps[None]:
        body = text_of(report, "report")
        until, _ = self._limits("1m")
        token = yield from self._token(0, until)
        try:
            yield from self._call(
                ServiceCall(method="PUT", path="/tool_catalog", token=token, body=body), until
            )
        except Refusal as error:
            raise_understandable(error)

    def forget(self, entry: str | None) -> Steps[None]:
        yield from self._keys.forget(entry)

    def _prepare(self, call: ToolCall) -> Steps[_Prepared]:
        require_names(call)
        text, arguments = read_once(call.arguments, "arguments")
        own = {"session": call.session, "call_id": call.call_id}
        context = {**(self._context or {}), **(call.context or {}), **own}
        if call.call_id is None:
            del context["call_id"]
        until, end = self._limits(call.timeout)
        sent = SentCall(
            tool=call.tool,
            server=call.server,
            arguments=text,
            reasoning=call.reasoning,
            context=text_of(context, "context"),
            timeout=self._timeout_of(call.timeout),
        )
        life = seconds_of(sent.timeout, "timeout") + _MARGIN_SECONDS
        token = yield from self._token(life, until)
        entry = None
        if call.call_id is not None:
            key = key_of(call.session, call.call_id, call.tool)
        else:
            name = key_of(call.session, call.tool, call.server or "", canonical(text))
            entry, key = yield from self._keys.take(name)
        return _Prepared(
            call=call,
            sent=sent,
            arguments=arguments,
            key=key,
            entry=entry,
            token=token,
            until=until,
            end=end,
        )

    def _timeout_of(self, given: str | None) -> str:
        """Reviewers never have longer than the caller asks."""
        timeout = self._timeout if given is None else given
        if self._limit is None:
            return timeout
        limit = seconds_of(self._limit, "limit")
        # Their time ends first, so that the caller hears that no one decided.
        seconds = limit - 2 * _reserve_of(limit)
        if seconds >= seconds_of(timeout, "timeout"):
            return timeout
        return f"{max(1, math.floor(seconds))}s"

    def _limits(self, timeout: str | None) -> tuple[float, float]:
        """When the asking ends, and when all ends."""
        if self._limit is None:
            given = self._timeout if timeout is None else timeout
            seconds = seconds_of(given, "timeout") + _MARGIN_SECONDS
        else:
            seconds = seconds_of(self._limit, "limit")
        end = time.monotonic() + seconds
        return end - _reserve_of(seconds), end

    def _settled_until(self, request: Request, until: float) -> float:
        """Without a limit, `settle` waits as long as reviewers have."""
        if self._limit is not None:
            return until
        left = (request.deadline_at - datetime.now(timezone.utc)).total_seconds()
        return max(until, time.monotonic() + left + _MARGIN_SECONDS)

    def _create(self, asking: _Prepared) -> Steps[Request]:
        call = ServiceCall(
            method="POST",
            path="/requests",
            token=asking.token,
            body=asking.sent.body(),
            idempotency_key=asking.key,
            expects=(200, 201),
        )
        text = yield from self._call(call, asking.until)
        return read_request(text, asking.sent)

    def _read(self, id: str, asking: _Asking, wait: int) -> Steps[Request]:
        path = f"/requests/{id}" + ("" if wait == 0 else f"?wait={wait}s")
        call = ServiceCall(method="GET", path=path, token=asking.token, wait_seconds=wait)
        text = yield from self._call(call, asking.until)
        request = read_request(text, asking.sent if isinstance(asking, _Prepared) else None)
        if request.id != id:
            raise Unavailable("invalid_response", "The response is of another request.")
        return request

    def _await(self, request: Request, asking: _Asking) -> Steps[Request]:
        while request.status == "pending":
            request = yield from self._read(request.id, asking, _WAIT_SECONDS)
        return request

    def _start(
        self, request: Request, asking: _Asking, arguments: dict[str, Any]
    ) -> Steps[Approved]:
        if request.status != "approved":
            status = "cancelled" if request.status == "pending" else request.status
            raise NotApproved(status, request.note, request.id)
        path = f"/requests/{request.id}/start"
        # Its own, so that only a repeat after a lost response gets the same success.
        key = str(uuid.uuid4())
        call = ServiceCall(method="POST", path=path, token=asking.token, idempotency_key=key)
        try:
            text = yield from self._call(call, asking.until)
        except Refusal as error:
            raise start_refused(error, request.id) from error
        return Approved(
            id=request.id,
            tool=request.tool,
            server=request.server,
            arguments=arguments,
            arguments_text=request.arguments,
            note=request.note,
            started_at=read_start(text, request),
        )

    def _ticket_of(self, request: Request, asking: _Prepared) -> Ticket:
        deadline_at = request.deadline_at.isoformat(timespec="milliseconds")
        return Ticket(
            id=request.id,
            tool=request.tool,
            server=request.server,
            arguments_digest=digest_of(request),
            deadline_at=deadline_at.replace("+00:00", "Z"),
            review_url=f"{self._credentials.url}/requests/{request.id}",
            entry=asking.entry,
        )

    def _give_up(
        self, asking: _Prepared, request: Request | None, error: BaseException
    ) -> Steps[None]:
        """
        No one is asked about a call that will not run. What the service refused has no request of
        this call.
        """
        is_over = isinstance(error, Refusal) if request is None else request.status != "pending"
        if not is_over:
            at = f"?idempotency_key={quote(asking.key, safe='')}"
            path = f"/requests{at}" if request is None else f"/requests/{request.id}"
            now = time.monotonic()
            until = max(now + _SHORTEST_SECONDS, min(now + _WITHDRAW_SECONDS, asking.end))
            try:
                yield from self._delete(path, until, asking.token)
            except Exception:
                return
        yield from self.forget(asking.entry)

    def _withdraw_quietly(self, given: AnyTicket) -> Steps[None]:
        with suppress(Exception):
            yield from self.withdraw(given)

    def _delete(self, path: str, until: float, token: str | None = None) -> Steps[bool]:
        if token is None:
            token = yield from self._token(0, until)
        try:
            yield from self._call(ServiceCall(method="DELETE", path=path, token=token), until)
        except Refusal as error:
            if error.code == "already_terminal":
                return False
            raise_understandable(error)
        return True

    def _token(self, seconds: float, until: float) -> Steps[str]:
        try:
            return (yield from self._credentials.token(seconds, until))
        except Refusal as error:
            raise_understandable(error)

    def _call(self, call: ServiceCall, until: float) -> Steps[str]:
        return (yield from call_service(self._credentials.url, call, until))


def _reserve_of(limit: float) -> float:
    """Of a limit, the time for withdrawing."""
    return min(_WITHDRAW_SECONDS, limit / 4)
