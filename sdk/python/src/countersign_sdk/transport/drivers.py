"""Perform the steps of a call, in the caller's thread or in the caller's event loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import inspect
import os
import threading
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from .effects import Effect, Invoke, Join, OutOfTime, Pause, Send, Steps, Stopped
from .wire import Wire, bounded

T = TypeVar("T")
_POLL_SECONDS = 0.1
"""How often a thread that waits looks whether to stop. Python 3.10 on Windows never would."""
_Step = Callable[[], Effect]


class _Loop:
    """An event loop in a thread of its own, once for each process."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.lock = threading.Lock()
        self.loop: asyncio.AbstractEventLoop | None = None

    def get(self) -> asyncio.AbstractEventLoop:
        with self.lock:
            if self.loop is None:
                self.loop = asyncio.new_event_loop()
                name = "countersign-sdk"
                threading.Thread(target=self.loop.run_forever, name=name, daemon=True).start()
            return self.loop


_background = _Loop()
if hasattr(os, "register_at_fork"):
    # A child has the loop, but not its thread.
    os.register_at_fork(after_in_child=_background.forget)


def in_background(work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
    return asyncio.run_coroutine_threadsafe(work, _background.get())


def drive(steps: Steps[T], cancel: threading.Event | None = None) -> T:
    """In this thread. What it waits for is in others, so that it can stop."""
    wire = Wire()
    step: _Step = partial(next, steps)
    try:
        if cancel is not None and cancel.is_set():
            raise Stopped
        while True:
            try:
                effect = step()
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                value = _perform(effect, wire, cancel)
                if cancel is not None and cancel.is_set():
                    raise Stopped
            except BaseException as error:
                if isinstance(error, Stopped):
                    # What follows is withdrawing.
                    cancel = None
                step = partial(steps.throw, error)
            else:
                step = partial(steps.send, value)
    finally:
        steps.close()
        in_background(wire.close())


def _perform(effect: Effect, wire: Wire, cancel: threading.Event | None) -> Any:
    if isinstance(effect, Invoke):
        return _result_of(_in_thread(effect.function), cancel, effect.until - time.monotonic())
    if isinstance(effect, Join):
        return _result_of(effect.future, cancel, effect.seconds)
    future = in_background(_perform_async(effect, wire))
    try:
        return _result_of(future, cancel)
    finally:
        future.cancel()


def _in_thread(function: Callable[[], Any]) -> concurrent.futures.Future[Any]:
    """The caller's own code, which may never end. With the context of the caller."""
    future: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def work() -> None:
        try:
            value = function()
            if inspect.iscoroutine(value):
                value.close()
                raise TypeError("Countersign takes no async function. Use AsyncCountersign.")
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(value)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), daemon=True).start()
    return future


def _result_of(
    future: concurrent.futures.Future[T],
    cancel: threading.Event | None,
    seconds: float = float("inf"),
) -> T:
    until = time.monotonic() + seconds
    while not future.done():
        if cancel is not None and cancel.is_set():
            raise Stopped
        left = until - time.monotonic()
        if left <= 0:
            raise OutOfTime
        concurrent.futures.wait([future], timeout=min(left, _POLL_SECONDS))
    return future.result()


_finishing: set[asyncio.Task[None]] = set()


async def drive_async(steps: Steps[T]) -> T:
    """In this event loop. A cancelled task finishes its steps, which withdraw, and then ends."""
    _require_asyncio()
    wire = Wire()
    step: _Step = partial(next, steps)
    try:
        while True:
            try:
                effect = step()
            except StopIteration as end:
                result: T = end.value
                break
            try:
                value = await _perform_async(effect, wire)
            except asyncio.CancelledError as error:
                # In a task of its own, because a caller may be cancelled again and again.
                finishing = asyncio.ensure_future(_finish(steps, error, wire))
                _finishing.add(finishing)
                finishing.add_done_callback(_finishing.discard)
                await asyncio.shield(finishing)
                raise
            except BaseException as error:
                step = partial(steps.throw, error)
            else:
                step = partial(steps.send, value)
    except asyncio.CancelledError:
        raise
    except BaseException:
        await wire.close()
        raise
    await wire.close()
    return result


def _require_asyncio() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise TypeError(
            "AsyncCountersign runs in asyncio. Elsewhere, use Countersign in a thread, such as "
            "with trio.to_thread.run_sync."
        ) from None


async def _finish(steps: Steps[Any], error: BaseException, wire: Wire) -> None:
    step: _Step = partial(steps.throw, error)
    try:
        while True:
            effect = step()
            try:
                value = await _twice(effect, wire)
            except BaseException as failure:
                step = partial(steps.throw, failure)
            else:
                step = partial(steps.send, value)
    except BaseException:
        # Of the caller, which has it already.
        await wire.close()


async def _twice(effect: Effect, wire: Wire) -> Any:
    """An event loop that ends cancels each task once, and waits for it."""
    try:
        return await _perform_async(effect, wire)
    except asyncio.CancelledError:
        return await _perform_async(effect, wire)


async def _perform_async(effect: Effect, wire: Wire) -> Any:
    if isinstance(effect, Send):
        return await wire.send(effect)
    if isinstance(effect, Pause):
        return await asyncio.sleep(effect.seconds)
    if isinstance(effect, Join):
        # The future goes on for the others.
        joined = asyncio.shield(asyncio.wrap_future(effect.future))
        return await bounded(joined, effect.seconds)
    value = effect.function()
    if not inspect.isawaitable(value):
        return value
    return await bounded(value, effect.until - time.monotonic())
