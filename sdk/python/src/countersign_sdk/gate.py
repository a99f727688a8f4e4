"""A decorator that asks before a function runs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar
from typing import Any, TypeVar, cast

from . import AsyncCountersign, Countersign, ToolCall
from .injected import injected_into, require_writable, shape_of
from .limits import Park

Function = TypeVar("Function", bound=Callable[..., Any])
Source = str | ContextVar[str] | Callable[[], str]
"""The name of a parameter, a context variable, or a function without parameters."""


def gate(
    countersign: Countersign | AsyncCountersign,
    *,
    session: Source,
    call_id: Source | None = None,
    tool: str | None = None,
    server: str | None = None,
    context: Mapping[str, Any] | None = None,
    timeout: str | None = None,
    leave_out: Collection[str] = (),
    park: Park = False,
) -> Callable[[Function], Function]:
    """
    Each call of the function asks first, and runs once with the arguments that were approved. It
    raises `NotApproved` or `Unavailable` without running it. An `async` function needs an
    `AsyncCountersign`.

    These are not among the arguments: `self`, the parameters that `session`, `call_id` and
    `leave_out` name, and those that a framework fills in and marks so. Raises TypeError for a
    parameter that JSON cannot hold. `park` is as for `run`.
    """

    if isinstance(leave_out, str):
        raise TypeError("leave_out must be a list of names.")

    def decorate(function: Function) -> Function:
        shape = _shape_of(function, countersign)
        name = tool or function.__name__
        named = {each for each in (session, call_id) if isinstance(each, str)} | set(leave_out)
        if missing := named - set(shape.parameters):
            raise TypeError(f"{name} has no parameter {sorted(missing)}.")
        own = named | injected_into(function)
        require_writable(function, own)

        def prepared(
            args: tuple[Any, ...], kwargs: dict[str, Any]
        ) -> tuple[ToolCall, Callable[[Mapping[str, Any]], Any]]:
            bound = shape.bind(*args, **kwargs)
            bound.apply_defaults()
            call = ToolCall(
                tool=name,
                server=server,
                arguments=_arguments_of(bound, own),
                session=_read(session, bound),
                call_id=None if call_id is None else _read(call_id, bound),
                context=context,
                timeout=timeout,
            )

            def run(approved: Mapping[str, Any]) -> Any:
                _replace(bound, own, approved)
                return function(*bound.args, **bound.kwargs)

            return call, run

        if isinstance(countersign, AsyncCountersign):

            async def gated_async(*args: Any, **kwargs: Any) -> Any:
                call, run = prepared(args, kwargs)
                return await countersign.run(call, run, park=park)

            return cast(Function, _like(gated_async, function))

        def gated(*args: Any, **kwargs: Any) -> Any:
            call, run = prepared(args, kwargs)
            return countersign.run(call, run, park=park)

        return cast(Function, _like(gated, function))

    return decorate


def _shape_of(function: Any, countersign: Countersign | AsyncCountersign) -> inspect.Signature:
    """Raises TypeError for what cannot be asked about as one call with named arguments."""
    if not inspect.isroutine(function):
        raise TypeError("@gate takes a function. Put it below decorators that make tools of it.")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{function.__name__} is a generator, which runs after it returns.")
    is_async = inspect.iscoroutinefunction(function)
    if is_async is not isinstance(countersign, AsyncCountersign):
        needed = "an AsyncCountersign" if is_async else "a Countersign"
        raise TypeError(f"{function.__name__} needs {needed}.")
    try:
        shape = inspect.signature(function)
    except ValueError:
        raise TypeError(f"{function.__name__} does not say which parameters it has.") from None
    kinds = {each.kind for each in shape.parameters.values()}
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        raise TypeError(f"{function.__name__} takes arguments without names (*).")
    return shape


def _like(gated: Any, function: Any) -> Any:
    """With the name, the text and the types of the function, for frameworks that make tools."""
    functools.update_wrapper(gated, function)
    # Frameworks that unwrap decorators would get the function itself.
    del gated.__wrapped__
    shape = shape_of(function)
    types = {each.name: each.annotation for each in shape.parameters.values()}
    types["return"] = shape.return_annotation
    none = inspect.Signature.empty
    gated.__annotations__ = {name: each for name, each in types.items() if each is not none}
    gated.__signature__ = shape
    return gated


def _is_rest(bound: inspect.BoundArguments, name: str) -> bool:
    """It holds the arguments that have names, but no parameter."""
    return bound.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD


def _arguments_of(bound: inspect.BoundArguments, own: set[str]) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        if name in own:
            continue
        for each, given in value.items() if _is_rest(bound, name) else [(name, value)]:
            if each in arguments:
                raise TypeError(f"The argument {each} is there twice.")
            arguments[each] = given
    return arguments


def _replace(bound: inspect.BoundArguments, own: set[str], approved: Mapping[str, Any]) -> None:
    for name, value in bound.arguments.items():
        if name not in own:
            rest = {each: approved[each] for each in value} if _is_rest(bound, name) else None
            bound.arguments[name] = approved[name] if rest is None else rest


def _read(source: Source, bound: inspect.BoundArguments) -> str:
    if isinstance(source, str):
        return cast(str, bound.arguments[source])
    return source.get() if isinstance(source, ContextVar) else source()
