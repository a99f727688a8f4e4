"""The arguments of a call as JSON text, and as a copy that no one else holds."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Mapping
from copy import deepcopy as copy_of
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from .exact import canonical, text_of_string

_DEEPEST = 99
"""The nesting of the arguments that the service takes."""
_LONGEST_INT = 4_000
"""Digits that Python reads as an `int` without being told."""
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


class WrongArguments(TypeError):
    """JSON would change them. A model can mend its call."""

    @property
    def to_model(self) -> str:
        """A text for the model, in the place of the result of the tool."""
        return f"{self} This call did not run."


class JsonText:
    """
    Arguments as source text, for callers that have the text of the model: no digit is read and
    printed again.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        if not canonical(text).startswith("{"):
            raise TypeError("The arguments must be an object.")
        # UTF-8 cannot carry them, so the service would get other arguments.
        if _HALF_CHARACTER.search(text):
            raise TypeError("The arguments have half a character. Write it as an escape: \\ud83d.")
        self._text = text

    @property
    def text(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JsonText) and canonical(other.text) == canonical(self._text)

    def __hash__(self) -> int:
        return hash(canonical(self._text))

    def __repr__(self) -> str:
        return f"JsonText({self._text!r})"


def read_once(given: Mapping[str, Any] | JsonText, what: str) -> tuple[str, dict[str, Any]]:
    """
    The text, and a copy with the caller's own types. Every member is read once: what is checked is
    what is sent. Raises TypeError for values that JSON would change without a word, such as NaN.
    """
    if isinstance(given, JsonText):
        return given.text, parsed(given.text)
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} must be an object.")
    text, copy = _written(given, what, 0)
    return text, copy


def text_of(given: Mapping[str, Any] | JsonText, what: str = "arguments") -> str:
    return read_once(given, what)[0]


def _written(value: object, where: str, depth: int) -> tuple[str, Any]:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value], value
    if isinstance(value, Enum):
        return _written(value.value, where, depth)[0], value
    if isinstance(value, str):
        return text_of_string(value), str.__str__(value)
    number = _number(value)
    if number is not None:
        return number, value
    if depth > _DEEPEST:
        raise WrongArguments(f"{where} is nested too deeply.")
    if isinstance(value, (list, tuple)):
        items = [
            _written(each, f"{where}/{index}", depth + 1) for index, each in enumerate(list(value))
        ]
        return f"[{','.join(text for text, _ in items)}]", _items_as(value, items)
    if isinstance(value, Mapping):
        return _written_object(value, where, depth)
    return _written_as_pydantic(value, where, depth)


def _items_as(value: Any, items: list[tuple[str, Any]]) -> Any:
    """A `NamedTuple` keeps its type, because a tool reads its fields by their names."""
    copies = [copy for _, copy in items]
    if not isinstance(value, tuple):
        return copies
    return type(value)._make(copies) if hasattr(value, "_make") else tuple(copies)


def _written_as_pydantic(value: Any, where: str, depth: int) -> tuple[str, Any]:
    """The copy is of the caller's own type."""
    if isinstance(value, (datetime, date, time)):
        return text_of_string(re.sub(r"\+00:00$", "Z", value.isoformat())), value
    if isinstance(value, (UUID, PurePath)):
        return text_of_string(str(value)), value
    if isinstance(value, timedelta):
        return text_of_string(_duration(value)), value
    if isinstance(value, (set, frozenset)):
        # In one order, so that equal calls have equal texts.
        texts = sorted(_written(each, f"{where}/…", depth + 1)[0] for each in value)
        return f"[{','.join(texts)}]", copy_of(value)
    if not isinstance(value, type) and hasattr(value, "model_dump"):
        if not _shows_all(value):
            raise WrongArguments(f"{where} has values that its JSON does not show.")
        text, _ = _written_object(value.model_dump(mode="json"), where, depth)
        return text, value.model_copy(deep=True)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
        return _written_object(members, where, depth)[0], copy_of(value)
    raise WrongArguments(f"{where} cannot be written as JSON without a change.")


def _shows_all(model: Any) -> bool:
    """Reviewers would not see what is masked, left out, or of a subclass."""
    try:
        text = model.model_dump_json(by_alias=True, round_trip=True)
        return bool(type(model).model_validate_json(text) == model)
    except ValueError:
        return False


def _duration(value: timedelta) -> str:
    """ISO 8601."""
    sign, value = ("-", -value) if value < timedelta(0) else ("", value)
    seconds = f"{value.seconds}.{value.microseconds:06}".rstrip("0").rstrip(".")
    parts = [(value.days // 365, "Y"), (value.days % 365, "D")]
    days = "".join(f"{count}{unit}" for count, unit in parts if count)
    rest = _clock(Decimal(seconds)) if value.seconds or value.microseconds or not days else ""
    return f"{sign}P{days}{rest}"


def _clock(seconds: Decimal) -> str:
    hours, minutes = int(seconds // 3600), int(seconds % 3600 // 60)
    left = seconds % 60
    parts = [(hours, "H"), (minutes, "M"), (left, "S")]
    return "T" + ("".join(f"{count}{unit}" for count, unit in parts if count) or "0S")


def _written_object(value: Mapping[Any, Any], where: str, depth: int) -> tuple[str, dict[str, Any]]:
    texts: list[str] = []
    copies: dict[str, Any] = {}
    for name, each in list(value.items()):
        if not isinstance(name, str):
            raise WrongArguments(f"{where} has a name that is no text.")
        text, copy = _written(each, f"{where}/{name}", depth + 1)
        texts.append(f"{text_of_string(name)}:{text}")
        copies[str.__str__(name)] = copy
    if len(copies) != len(texts):
        raise TypeError(f"{where} has a name twice.")
    return f"{{{','.join(texts)}}}", copies


def _number(value: object) -> str | None:
    if isinstance(value, int):
        return format(Decimal(value), "f")
    if isinstance(value, float) and math.isfinite(value):
        return float.__repr__(value)
    if isinstance(value, Decimal) and value.is_finite():
        return Decimal.__str__(value)
    return None


def parsed(text: str) -> dict[str, Any]:
    """A number that `float` would round is a `Decimal`. `text` is JSON that was read before."""
    value: dict[str, Any] = json.loads(text, parse_int=_parsed_int, parse_float=_parsed_float)
    return value


def _parsed_int(text: str) -> int | float | Decimal:
    if text == "-0":
        return -0.0
    return int(text) if len(text) <= _LONGEST_INT else Decimal(text)


def _parsed_float(text: str) -> float | Decimal:
    value = float(text)
    is_same = math.isfinite(value) and canonical(repr(value)) == canonical(text)
    return value if is_same else Decimal(text)
