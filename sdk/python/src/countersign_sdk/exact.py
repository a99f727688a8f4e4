"""
Reads JSON as source text, so that no digit is lost. `json.loads` rounds numbers and takes the last
of two equal members, and an adapter must see both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

_DEEPEST = 102
"""The nesting that the service allows, and the request object around it."""
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_PLAIN = r'[^"\\\x00-\x1f]*'
_STRING = re.compile(rf'"{_PLAIN}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){_PLAIN})*"')
_WHITE_SPACE = re.compile(r"[ \t\n\r]*")
_LITERAL = re.compile("true|false|null")
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def canonical(text: str) -> str:
    """Equal texts for equal values: order, white space and spelling make no difference."""
    reader = _Reader(text)
    value = reader.value(0)
    reader.end()
    return value


def members_of(text: str) -> dict[str, str]:
    """
    The members of an object by their source text. Raises ValueError for other values, and where a
    name stands twice at any depth.
    """
    reader = _Reader(text)
    members = reader.members()
    reader.end()
    return members


def text_of_string(value: str) -> str:
    """As `JSON.stringify`: half a character is an escape."""
    return _HALF_CHARACTER.sub(
        lambda half: f"\\u{ord(half[0]):04x}", json.dumps(value, ensure_ascii=False)
    )


def string_of(text: str) -> str:
    """The value of a string's source text. Raises ValueError for other values."""
    value: object = json.loads(text) if _STRING.fullmatch(text) else None
    if not isinstance(value, str):
        raise ValueError("This is no string.")
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def members(self) -> dict[str, str]:
        found: dict[str, str] = {}
        self._object(lambda name: found.__setitem__(name, self._source()))
        return found

    def _source(self) -> str:
        start = self._at
        self.value(1)
        return self._text[start : self._at].strip(" \t\n\r")

    def value(self, depth: int) -> str:
        if depth > _DEEPEST:
            self._fail()
        self._take(_WHITE_SPACE)
        first = self._text[self._at : self._at + 1]
        if first == "{":
            return self._canonical_object(depth)
        if first == "[":
            return self._canonical_list(depth)
        if first == '"':
            return text_of_string(self._string())
        literal = self._take(_LITERAL)
        if literal is not None:
            return literal
        number = self._take(_NUMBER)
        return self._fail() if number is None else _canonical_number(number)

    def end(self) -> None:
        self._take(_WHITE_SPACE)
        if self._at != len(self._text):
            self._fail()

    def _canonical_object(self, depth: int) -> str:
        members: list[tuple[str, str]] = []
        self._object(lambda name: members.append((name, self.value(depth + 1))))
        # In the order of UTF-16, as the SDK for TypeScript, so that digests are equal.
        members.sort(key=lambda member: member[0].encode("utf-16-be", "surrogatepass"))
        return f"{{{','.join(f'{text_of_string(name)}:{value}' for name, value in members)}}}"

    def _canonical_list(self, depth: int) -> str:
        items: list[str] = []
        self._list(lambda: items.append(self.value(depth + 1)))
        return f"[{','.join(items)}]"

    def _list(self, item: Callable[[], Any]) -> None:
        self._expect("[")
        if self._is("]"):
            return
        item()
        while self._is(","):
            item()
        self._expect("]")

    def _object(self, member: Callable[[str], Any]) -> None:
        names: set[str] = set()
        self._expect("{")
        if self._is("}"):
            return
        while True:
            self._take(_WHITE_SPACE)
            name = self._string()
            if name in names:
                raise ValueError(f"The member {text_of_string(name)} stands twice.")
            names.add(name)
            self._expect(":")
            member(name)
            if not self._is(","):
                break
        self._expect("}")

    def _string(self) -> str:
        source = self._take(_STRING)
        return self._fail() if source is None else string_of(source)

    def _is(self, character: str) -> bool:
        self._take(_WHITE_SPACE)
        if self._text[self._at : self._at + 1] != character:
            return False
        self._at += 1
        return True

    def _expect(self, character: str) -> None:
        if not self._is(character):
            self._fail()

    def _take(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return found[0]

    def _fail(self) -> Any:
        raise ValueError(f"This is no JSON at character {self._at}.")


_LONGEST_EXPONENT = 15
"""More than any number that a service keeps has."""
_PARTS = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE](?:\+|(-))?0*([0-9]*))?")


def _canonical_number(text: str) -> str:
    """
    Digits without zeros at the ends, and an exponent: 1, 1.0 and 10e-1 are `1e0`. It takes linear
    time, because the model writes these numbers.
    """
    found = _PARTS.fullmatch(text)
    sign, whole, fraction, minus, exponent = found.groups("") if found else ("",) * 5
    if len(exponent) > _LONGEST_EXPONENT:
        raise ValueError("The exponent of a number is too long.")
    digits = f"{whole}{fraction}"
    significant = digits.rstrip("0")
    if not significant:
        return "0"
    scale = int(f"{minus}{exponent or '0'}") - len(fraction) + len(digits) - len(significant)
    return f"{sign}{significant.lstrip('0')}e{scale}"
