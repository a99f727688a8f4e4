"""The keys of calls without an id. They are in the ledger before anyone is asked."""

from __future__ import annotations

import threading
import uuid

from ..errors import Unavailable
from ..transport.effects import Invoke, Steps, is_abort
from .ledger import Ledger


class Keys:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._open: set[str] = set()

    def take(self, call: str, until: float) -> Steps[tuple[str, str]]:
        """
        The call's name in the ledger, and the key of a crashed run of it, or a new one.
        """
        entry = self._name_of(call)
        try:
            found = yield from self.load(entry, until)
            key = str(uuid.uuid4()) if found is None else str(found)
            yield from self.save(entry, key, until)
        except BaseException as error:
            self._open.discard(entry)
            if is_abort(error):
                raise
            raise Unavailable(
                "configuration",
                f"The ledger cannot keep the key of the call: {error or 'it took too long'}",
            ) from error
        return entry, key

    def load(self, entry: str, until: float) -> Steps[str | None]:
        found: str | None = yield Invoke(lambda: self._ledger.load(entry), until)
        return found

    def save(self, entry: str, value: str, until: float) -> Steps[None]:
        yield Invoke(lambda: self._ledger.save(entry, value), until)

    def forget(self, entry: str | None, until: float) -> Steps[None]:
        """
        Raises only an abort, because the call may have run. A key that stays makes the next equal
        call `used`.
        """
        if entry is None:
            return
        try:
            yield Invoke(lambda: self._ledger.remove(entry), until)
        except Exception as error:
            # Then it has not run.
            if is_abort(error):
                raise
        finally:
            self._open.discard(entry)

    def _name_of(self, call: str) -> str:
        """Equal calls at the same time are calls of their own."""
        with self._lock:
            name, place = call, 2
            while name in self._open:
                name, place = f"{call} {place}", place + 1
            self._open.add(name)
            return name
