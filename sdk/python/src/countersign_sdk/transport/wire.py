"""HTTP, as far as it is not of this service. Nothing is followed, and no proxy of the environment
gets a token."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Awaitable
from functools import cache
from typing import Any, TypeVar

import httpx

from ..errors import Unavailable
from .effects import Lost, OutOfTime, Reply, Send

_LONGEST_BODY = 8 * 1024 * 1024
_LONGEST_TIMER = 1e6
_JSON = re.compile(r"application/json\b", re.IGNORECASE)
T = TypeVar("T")


@cache
def _trusted() -> ssl.SSLContext:
    """
    Made once, because it takes tens of milliseconds. `SSL_CERT_FILE` or `SSL_CERT_DIR` takes the
    place of the authorities of certifi.
    """
    return httpx.create_ssl_context()


class Wire:
    """The connections of one call of a client, in one event loop."""

    def __init__(self) -> None:
        self._client: httpx.AsyncClient | None = None

    async def send(self, sent: Send) -> Reply:
        try:
            return await bounded(self._exchange(sent), sent.seconds)
        except OutOfTime as error:
            raise Lost from error

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _exchange(self, sent: Send) -> Reply:
        try:
            if self._client is None:
                # No proxy and no password of the environment, as in the SDK for TypeScript.
                self._client = httpx.AsyncClient(verify=_trusted(), trust_env=False, timeout=None)
            stream = self._client.stream(
                sent.method,
                sent.url,
                headers=sent.headers,
                content=None if sent.body is None else sent.body.encode(),
                follow_redirects=False,
            )
            async with stream as response:
                return await _read(response)
        except Unavailable:
            raise
        except Exception as error:
            raise Lost from error


async def _read(response: httpx.Response) -> Reply:
    status, headers = response.status_code, response.headers
    # The body of a 429 says whether another try can help.
    is_again = status >= 500 or status == 408
    is_json = _JSON.match(headers.get("content-type", "")) is not None
    if is_again or not is_json or 300 <= status < 400:
        return Reply(status, headers.get("retry-after"), None)
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _LONGEST_BODY:
            raise Unavailable("invalid_response", "The response is too long.")
    return Reply(status, headers.get("retry-after"), bytes(body))


async def bounded(work: Awaitable[T], seconds: float) -> T:
    """
    Raises `OutOfTime`. `asyncio.wait_for` of Python 3.11 can lose the cancellation of a task, and
    then a call would run that was aborted.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(_seen)
    try:
        await asyncio.wait({task}, timeout=min(max(0.0, seconds), _LONGEST_TIMER))
        if not task.done():
            raise OutOfTime
        return task.result()
    finally:
        task.cancel()


def _seen(task: asyncio.Future[Any]) -> None:
    """An error that comes too late is not reported as one that no one looked at."""
    if not task.cancelled():
        task.exception()
