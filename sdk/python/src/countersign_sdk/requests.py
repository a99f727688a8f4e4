"""The requests of this instance at the service: each is made, read, started and withdrawn here."""

from __future__ import annotations

import math
import time
import uuid
from contextlib import suppress
from typing import Any

from .arguments import text_of
from .asking import Asking, Prepared
from .calls import NOT_RUN, Approved, CallResult
from .errors import NotApproved, Unavailable
from .limits import last_moments
from .request import Request, read_request, read_start
from .transport.credentials import Credentials
from .transport.effects import Steps, is_abort
from .transport.refusals import raise_start_unknown, raise_understandable, start_refused
from .transport.service import Refusal, ServiceCall, call_service

_LONGEST_DETAIL = 2_000
"""As the service keeps it, in UTF-16."""
_WAIT_SECONDS = 25


class Requests:
    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def create(self, asking: Prepared) -> Steps[Request]:
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

    def read(self, id: str, asking: Asking, wait: int) -> Steps[Request]:
        path = f"/requests/{id}" + ("" if wait == 0 else f"?wait={wait}s")
        call = ServiceCall(method="GET", path=path, token=asking.token, wait_seconds=wait)
        text = yield from self._call(call, asking.until)
        request = read_request(text, asking.sent if isinstance(asking, Prepared) else None)
        if request.id != id:
            raise Unavailable("invalid_response", "The response is of another request.")
        return request

    def wait_for(self, request: Request, asking: Asking) -> Steps[Request]:
        """Until it has an outcome. A call that parks waits no longer than its limit."""
        parks = isinstance(asking, Prepared) and asking.parking is not None
        while request.status == "pending":
            wait = _WAIT_SECONDS
            if parks:
                # One is kept for the way.
                wait = min(wait, math.floor(asking.until - time.monotonic()) - 1)
            if wait <= 0:
                break
            request = yield from self.read(request.id, asking, wait)
        return request

    def start(self, request: Request, asking: Asking, arguments: dict[str, Any]) -> Steps[Approved]:
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
        except GeneratorExit:
            raise
        except BaseException as error:
            yield from self._report_unused(request.id, call, asking.end)
            raise_start_unknown(error)
        return Approved(
            id=request.id,
            tool=request.tool,
            server=request.server,
            arguments=arguments,
            arguments_text=request.arguments,
            note=request.note,
            started_at=read_start(text, request),
        )

    def _report_unused(self, request_id: str, start: ServiceCall, end: float) -> Steps[None]:
        """
        A start without a response may be on record, but the call does not run. Only a response to
        the same start says that it is not another caller's.
        """
        with suppress(Exception):
            yield from self._call(start, last_moments(end))
            yield from self.report(request_id, NOT_RUN, end=end)

    def report(
        self,
        started: Approved | str,
        came: CallResult,
        *,
        end: float | None = None,
    ) -> Steps[None]:
        """
        Never raises but an abort: what came of a call is the same, whether it is on record or not.
        Older services have no place for it.
        """
        request_id = started if isinstance(started, str) else started.id
        until = last_moments(end)
        # Two bytes each.
        bytes_of = (came.detail or "").encode("utf-16-le", "ignore")[: 2 * _LONGEST_DETAIL]
        cut = bytes_of.decode("utf-16-le", "ignore")
        given = {"outcome": came.outcome, "detail": cut, "arguments_digest": came.arguments_digest}
        result = {name: each for name, each in given.items() if each}
        try:
            token = yield from self.token(0, until)
            call = ServiceCall(
                method="POST",
                path=f"/requests/{request_id}/result",
                token=token,
                body=text_of(result, "result"),
                expects=(204,),
            )
            yield from self._call(call, until)
        except Exception as error:
            if is_abort(error):
                raise

    def report_tools(self, body: str, until: float) -> Steps[None]:
        token = yield from self.token(0, until)
        call = ServiceCall(method="PUT", path="/tool_catalog", token=token, body=body)
        try:
            yield from self._call(call, until)
        except Refusal as error:
            raise_understandable(error)

    def delete(self, path: str, until: float, token: str | None = None) -> Steps[bool]:
        if token is None:
            token = yield from self.token(0, until)
        try:
            yield from self._call(ServiceCall(method="DELETE", path=path, token=token), until)
        except Refusal as error:
            if error.code == "already_terminal":
                return False
            raise_understandable(error)
        return True

    def token(self, seconds: float, until: float) -> Steps[str]:
        try:
            return (yield from self._credentials.token(seconds, until))
        except Refusal as error:
            raise_understandable(error)

    def _call(self, call: ServiceCall, until: float) -> Steps[str]:
        return (yield from call_service(self._credentials.url, call, until))
