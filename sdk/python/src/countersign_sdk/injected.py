"""Which parameters of a function a framework fills in, and which JSON cannot hold."""

from __future__ import annotations

import collections.abc
import dataclasses
import inspect
import typing
from collections.abc import Collection, Iterable
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Annotated, Any
from uuid import UUID

_MARKERS = {"Depends", "Security", "InjectedState", "InjectedStore", "InjectedToolCallId"}
"""Of `Annotated` or of a default."""
_UNFILLED = "InjectedToolArg"
"""Hides a parameter from the model, but no framework fills it in. A model can write it all the
same."""
_CONTEXTS = {
    "mcp": {"Context"},
    "fastmcp": {"Context"},
    "pydantic_ai": {"RunContext"},
    "agents": {"RunContextWrapper", "ToolContext"},
    "langchain": {"ToolRuntime"},
    "langgraph": {"ToolRuntime", "Runtime"},
    "langchain_core": {"RunnableConfig"},
    "starlette": {"Request"},
}
"""Types of what frameworks give a tool, by package."""
_WRITABLE = (
    *(str, int, float, Decimal, type(None), list, tuple, dict, set, frozenset, Enum),
    *(date, time, timedelta, UUID, PurePath),
)


def shape_of(function: Any) -> inspect.Signature:
    """With types where their names can be read."""
    try:
        return inspect.signature(function, eval_str=True)
    except Exception:
        return inspect.signature(function)


def injected_into(function: Any) -> set[str]:
    """`self`, and what frameworks mark as theirs."""
    parameters = list(shape_of(function).parameters.values())
    found = {each.name for each in parameters if _is_injected(each)}
    if parameters and parameters[0].name in ("self", "cls"):
        found.add(parameters[0].name)
    return found


def require_writable(function: Any, left_out: Collection[str]) -> None:
    """Raises TypeError for a parameter that JSON cannot hold, or that a model can write unseen."""
    for each in shape_of(function).parameters.values():
        if each.name not in left_out and _has_mark(each, {_UNFILLED}):
            raise TypeError(
                f"{function.__name__} takes {each.name}, which is hidden from the model, but which "
                "a model can write. Read it from InjectedState or ToolRuntime. Or name it in "
                "leave_out, and run the tool only in a ToolNode, which drops what a model wrote."
            )
        if each.name not in left_out and not _is_writable(each.annotation):
            raise TypeError(
                f"{function.__name__} takes {each.name}, which JSON cannot hold: "
                f"{_name_of(each.annotation)}. Name it in leave_out if no model fills it in."
            )


def hidden_from_model(tool: Any) -> set[str]:
    """
    The parameters of a tool of LangChain that no model is told of. What a model writes there is not
    for the tool.
    """
    own = [each for each in (getattr(tool, "func", None), getattr(tool, "coroutine", None)) if each]
    functions = own or [each for name in ("_run", "_arun") if (each := getattr(tool, name, None))]
    found = {name for each in functions for name in _hidden_in(each)}
    fields = getattr(getattr(tool, "args_schema", None), "model_fields", {})
    found |= {name for name, field in fields.items() if _any_mark(field.metadata, _HIDDEN)}
    # A ToolNode fills it in, whatever its type.
    return found | {"runtime"}


_HIDDEN = _MARKERS | {_UNFILLED}


def _hidden_in(function: Any) -> list[str]:
    parameters = shape_of(function).parameters.values()
    return [each.name for each in parameters if _is_injected(each) or _has_mark(each, _HIDDEN)]


def _is_injected(parameter: inspect.Parameter) -> bool:
    kinds = _all(_bare(parameter.annotation))
    return _has_mark(parameter, _MARKERS) or any(_is_context(each) for each in kinds)


def _has_mark(parameter: inspect.Parameter, marks: Collection[str]) -> bool:
    kind = parameter.annotation
    is_annotated = typing.get_origin(kind) is Annotated
    return _any_mark(
        [parameter.default, *(typing.get_args(kind)[1:] if is_annotated else ())], marks
    )


def _any_mark(given: Iterable[Any], marks: Collection[str]) -> bool:
    kinds = (each if isinstance(each, type) else type(each) for each in given)
    return any(each.__name__ in marks for kind in kinds for each in kind.__mro__)


def _bare(kind: Any) -> Any:
    return typing.get_args(kind)[0] if typing.get_origin(kind) is Annotated else kind


def _is_context(kind: Any) -> bool:
    origin = typing.get_origin(kind) or kind
    return any(
        each.__name__ in _CONTEXTS.get(each.__module__.split(".")[0], ())
        for each in getattr(origin, "__mro__", (origin,))
        if hasattr(each, "__name__") and hasattr(each, "__module__")
    )


def _all(kind: Any) -> list[Any]:
    """The members of a union, or the type itself."""
    is_union = type(kind).__name__ in ("UnionType", "_UnionGenericAlias", "Union")
    return list(typing.get_args(kind)) if is_union else [kind]


def _is_writable(kind: Any) -> bool:
    kind = _bare(kind)
    kinds = _all(kind)
    if len(kinds) > 1:
        return any(_is_writable(each) for each in kinds)
    origin = typing.get_origin(kind) or kind
    is_any = kind is inspect.Parameter.empty or origin in (object, Any)
    if is_any or not isinstance(origin, type):
        # Not a class, such as Any, a Literal or a name that cannot be read.
        return True
    if issubclass(origin, (bytes, bytearray)):
        return False
    arguments = () if origin is type else typing.get_args(kind)
    return (
        issubclass(origin, _WRITABLE)
        or typing.is_typeddict(origin)
        or origin.__module__ == collections.abc.__name__
        or dataclasses.is_dataclass(origin)
        or hasattr(origin, "model_dump")
    ) and all(_is_writable(each) for each in arguments if each is not Ellipsis)


def _name_of(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind)
