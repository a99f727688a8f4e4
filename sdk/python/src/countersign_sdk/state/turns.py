"""
Tells equal calls with one id apart, since some models give each call of a conversation the id
`call_0`. A call is a question of its own once the equal one before it has ended. Until then it is
the same one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from ..arguments import text_of
from ..calls import ToolCall
from ..checks import digest_of, key_of
from ..errors import NotApproved, Unavailable

_KEPT = 10_000
"""Of calls that ended. What is forgotten counts as after a restart."""


@dataclass(frozen=True)
class Turn:
    """One call, from the question to its end."""

    turns: Turns
    name: str
    call: ToolCall
    """With its ordinal."""

    def end(self, error: BaseException | None = None) -> None:
        """
        The call ran, or will not run. While the service is away it has not ended: the next one
        continues its request.
        """
        if not isinstance(error, Unavailable):
            self.turns.keep(self.name, _ended_at(self.call.ordinal, error))


class Turns:
    def __init__(self) -> None:
        self._ended: dict[str, int] = {}
        """The ordinal of the last one that ended, by the name of the call."""

    def next(self, call: ToolCall, before: int = 0, run: dict[str, int] | None = None) -> Turn:
        """
        `before` is an ordinal that an equal call before this one may have. `run` keeps the ordinals
        of a run that another process may continue. Raises TypeError and ValueError for arguments
        that are no JSON.
        """
        name = _name_of(call)
        ordinal = max(before, self._ended.get(name, 0)) + 1
        if run is not None:
            ordinal = run.setdefault(name, ordinal)
        return Turn(self, name, replace(call, ordinal=ordinal))

    def keep(self, name: str, ordinal: int) -> None:
        self._ended[name] = max(self._ended.pop(name, 0), ordinal)
        if len(self._ended) > _KEPT:
            del self._ended[next(iter(self._ended))]


_known: WeakKeyDictionary[Any, Turns] = WeakKeyDictionary()


def turns_of(client: Any) -> Turns:
    return _known.setdefault(client, Turns())


def _ended_at(ordinal: int, error: BaseException | None) -> int:
    """
    A process does not know how many equal calls ran before it started. The clock gives the
    next one an ordinal that none of them has.
    """
    is_used = isinstance(error, NotApproved) and error.status == "used"
    return max(ordinal, int(time.time() * 1_000)) if is_used else ordinal


def _name_of(call: ToolCall) -> str:
    names = (call.session, call.call_id or "", call.tool, call.server or "")
    return key_of(*names, digest_of(text_of(call.arguments)))
