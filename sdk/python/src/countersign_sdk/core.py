"""
The steps of asking before a call runs, for both clients. Only `approve` and `settle` that return
mean that it may; everything else raises.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote

from .arguments import parsed, read_once, text_of
from .asking import Asking, Prepared, is_waiting
from .calls import NOT_RUN, Approved, CallOutcome, CallResult, Ticket, ToolCall
from .checks import (
    AnyTicket,
    digest_of,
    key_of,
    read_ticket,
    require_names,
    require_same_call,
)
from .errors import NotApproved, Unavailable
from .exact import canonical
from .limits import MARGIN_SECONDS, Park, Times, last_moments, park_of, seconds_of
from .request import Request, SentCall
from .requests import Requests
from .state.keys import Keys
from .state.ledger import Ledger, MemoryLedger
from .state.parked import Place, is_first_to_tell, was_not_told
from .transport.credentials import credentials_for
from .transport.effects import Invoke, OutOfTime, Steps, Stopped, is_abort
from .transport.refusals import raise_understandable
from .transport.service import Refusal


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
        credentials = credentials_for(url, token, provisioner)
        self._url = credentials.url
        self._agent = credentials.agent
        self.requests = Requests(credentials)
        self._times = Times(timeout, limit)
        self._context = context
        self._on_pending = on_pending
        self._keys = Keys(MemoryLedger() if ledger is None else ledger)

    def ask(self, call: ToolCall, park: Park = False) -> Steps[Approved]:
        started = yield from self.approve(call, park)
        try:
            yield from started.forget()
        except GeneratorExit:
            raise
        except BaseException:
            yield from self.requests.report(started.approved, NOT_RUN, end=started.asking.end)
            raise
        return started.approved

    def approve(self, call: ToolCall, park: Park = False) -> Steps[Started]:
        """
        The caller forgets the key once it is through with the call. Until then, a crash leaves it,
        so that the call is not run again.
        """
        asking = yield from self._prepare(call, park)
        place = Place((*self._agent, asking.parking) if asking.parking else None)
        try:
            return (yield from self._approve(asking, place))
        finally:
            # Unless it was left before.
            place.leave()

    def _approve(self, asking: Prepared, place: Place) -> Steps[Started]:
        request: Request | None = None
        try:
            request = yield from self._parked(asking)
            if request is None:
                request = yield from self.requests.create(asking)
            if request.status == "pending":
                yield from self._tell(request, asking)
            request = yield from self.requests.wait_for(request, asking)
            if request.status == "pending":
                raise NotApproved("waiting", None, request.id)
            asking.require_same()
        except GeneratorExit:
            raise
        except BaseException as error:
            yield from self._give_up(asking, request, error, place)
            raise_understandable(error)
        approved: Approved | None = None
        try:
            approved = yield from self.requests.start(request, asking, asking.arguments)
            # While the service recorded the start, too.
            asking.require_same()
            yield from self._withdraw_all(_others_of(request, place.leave()), asking)
            return Started(self, approved, asking)
        except GeneratorExit:
            raise
        except BaseException:
            if approved is not None:
                yield from self.requests.report(approved, NOT_RUN, end=asking.end)
            yield from self._withdraw_all(_others_of(request, place.leave()), asking)
            yield from self.forget(asking.name, asking.end)
            raise

    def _withdraw_all(self, left: Mapping[str, str], asking: Prepared) -> Steps[bool]:
        """True when nothing of it is open any more."""
        is_withdrawn = True
        for path, token in left.items():
            try:
                yield from self.requests.delete(path, last_moments(asking.end), token)
            except Exception:
                is_withdrawn = False
        return is_withdrawn

    def _parked(self, asking: Prepared) -> Steps[Request | None]:
        if asking.parking is None:
            return None
        known = yield from self._keys.load(asking.parking, asking.until)
        if known is None:
            return None
        try:
            return (yield from self.requests.read(known, asking, 0))
        except Refusal as error:
            # It is another instance's by now.
            if error.status == 404:
                return None
            raise

    def _tell(self, request: Request, asking: Prepared) -> Steps[None]:
        if self._on_pending is None:
            return
        pending, ticket = self._on_pending, self._ticket_of(request, asking)
        left = (request.deadline_at - datetime.now(timezone.utc)).total_seconds()
        if asking.parking is not None and not is_first_to_tell(request.id, left + MARGIN_SECONDS):
            return
        try:
            yield Invoke(lambda: pending(ticket), asking.until)
        except BaseException as error:
            # A thread goes on after `cancel`.
            if not isinstance(error, Stopped):
                was_not_told(request.id)
            if isinstance(error, OutOfTime):
                raise Unavailable("unreachable", "on_pending did not end in time.") from None
            raise

    def start(self, call: ToolCall, keep: bool = False) -> Steps[Ticket]:
        asking = yield from self._prepare(call)
        try:
            request = yield from self.requests.create(asking)
            return self._ticket_of(request, asking)
        except GeneratorExit:
            raise
        except BaseException as error:
            is_away = isinstance(error, Unavailable) and error.reason == "unreachable"
            if not (keep and is_away):
                yield from self._give_up(asking, None, error, Place(None))
            raise_understandable(error)

    def settle(self, given: AnyTicket) -> Steps[Approved]:
        request_id, ticket = read_ticket(given)
        entry = None if ticket is None else ticket.entry
        until, end = self._times.limits(None)
        approved: Approved | None = None
        try:
            token = yield from self.requests.token(0, until)
            asking = Asking(token=token, until=until, end=end)
            first = yield from self.requests.read(request_id, asking, 0)
            if ticket is not None:
                require_same_call(ticket, first)
            longest = self._times.settled_until(first.deadline_at, until)
            asking = replace(asking, until=longest, end=end + longest - until)
            request = yield from self.requests.wait_for(first, asking)
            approved = yield from self.requests.start(request, asking, parsed(request.arguments))
            yield from self.forget(entry)
            return approved
        except GeneratorExit:
            raise
        except BaseException as error:
            if approved is not None:
                yield from self.requests.report(approved, NOT_RUN, end=end)
            elif is_abort(error):
                yield from self._withdraw_quietly(given)
            elif isinstance(error, NotApproved) and error.status != "changed":
                yield from self.forget(entry)
            raise_understandable(error)

    def is_pending(self, given: AnyTicket) -> Steps[bool]:
        request_id, ticket = read_ticket(given)
        until, end = self._times.limits("1m")
        try:
            token = yield from self.requests.token(0, until)
            asking = Asking(token=token, until=until, end=end)
            request = yield from self.requests.read(request_id, asking, 0)
        except Refusal as error:
            raise_understandable(error)
        if ticket is not None:
            require_same_call(ticket, request)
        return request.status == "pending"

    def withdraw(self, given: AnyTicket) -> Steps[bool]:
        request_id, ticket = read_ticket(given)
        until = last_moments()
        is_cancelled = yield from self.requests.delete(f"/requests/{request_id}", until)
        if is_cancelled and ticket is not None:
            yield from self.forget(ticket.entry)
        return is_cancelled

    def report_tools(self, report: Mapping[str, Any]) -> Steps[None]:
        body = text_of(report, "report")
        until, _ = self._times.limits("1m")
        yield from self.requests.report_tools(body, until)

    def forget(self, entry: str | None, end: float | None = None) -> Steps[None]:
        yield from self._keys.forget(entry, last_moments(end))

    def _prepare(self, call: ToolCall, park: Park = False) -> Steps[Prepared]:
        require_names(call)
        parked = park_of(park)
        text, arguments = read_once(call.arguments, "arguments")
        own = {"session": call.session, "call_id": call.call_id}
        context = {**(self._context or {}), **(call.context or {}), **own}
        if call.call_id is None:
            del context["call_id"]
        until, end = self._times.limits(call.timeout, parked)
        sent = SentCall(
            tool=call.tool,
            server=call.server,
            arguments=text,
            reasoning=call.reasoning,
            context=text_of(context, "context"),
            timeout=self._times.timeout_of(call.timeout, parked),
            resumes=parked is not None,
        )
        life = seconds_of(sent.timeout, "timeout") + MARGIN_SECONDS
        token = yield from self.requests.token(life, until)
        entry = parking = None
        server = call.server or ""
        if parked is not None:
            parking = key_of("parked", call.session, call.tool, server, canonical(text))
            key = str(uuid.uuid4())
        elif call.call_id is not None:
            # Some runtimes repeat their ids. Other arguments are another call.
            ordinal = str(call.ordinal)
            key = key_of(call.session, call.call_id, call.tool, server, digest_of(text), ordinal)
        else:
            name = key_of(call.session, call.tool, server, canonical(text))
            entry, key = yield from self._keys.take(name, until)
        return Prepared(
            call=call,
            sent=sent,
            arguments=arguments,
            key=key,
            entry=entry,
            parking=parking,
            token=token,
            until=until,
            end=end,
        )

    def _ticket_of(self, request: Request, asking: Prepared) -> Ticket:
        deadline_at = request.deadline_at.isoformat(timespec="milliseconds")
        return Ticket(
            id=request.id,
            tool=request.tool,
            server=request.server,
            digest=digest_of(request.question),
            deadline_at=deadline_at.replace("+00:00", "Z"),
            review_url=f"{self._url}/requests/{request.id}",
            entry=asking.entry,
        )

    def _give_up(
        self, asking: Prepared, request: Request | None, error: BaseException, place: Place
    ) -> Steps[None]:
        """
        No one is asked about a call that will not run, unless equal calls go on waiting. What the
        service refused has no request of this call.
        """
        if asking.parking is not None and request is not None and is_waiting(request, error):
            yield from self._keys.save(asking.parking, request.id, last_moments(asking.end))
            others = _others_of(request, place.leave())
            # What was asked with a key alone may be this request.
            known = {path: token for path, token in others.items() if "?" not in path}
            yield from self._withdraw_all(known, asking)
            return
        is_over = isinstance(error, Refusal) if request is None else request.status != "pending"
        by_key = f"?idempotency_key={quote(asking.key, safe='')}"
        at = by_key if request is None else f"/{request.id}"
        left = place.leave(None if is_over else f"/requests{at}", asking.token)
        if left is None:
            return
        if (yield from self._withdraw_all(left, asking)):
            yield from self.forget(asking.name, asking.end)

    def _withdraw_quietly(self, given: AnyTicket) -> Steps[None]:
        with suppress(Exception):
            yield from self.withdraw(given)


def _others_of(request: Request, left: Mapping[str, str] | None) -> dict[str, str]:
    """The requests of equal calls that ended before, but for this one."""
    own = f"/requests/{request.id}"
    return {path: token for path, token in (left or {}).items() if path != own}


@dataclass(frozen=True)
class Started:
    """A call that may run now."""

    core: Core
    approved: Approved
    asking: Prepared

    def ran(self, error: BaseException | None = None) -> Steps[None]:
        """Reports what came of it, and forgets its key."""
        # A message may have arguments in it.
        detail = None if error is None else type(error).__name__
        outcome: CallOutcome = "succeeded" if error is None else "failed"
        yield from self.core.requests.report(self.approved, CallResult(outcome, detail))
        yield from self.forget()

    def forget(self) -> Steps[None]:
        yield from self.core.forget(self.asking.name, self.asking.end)
