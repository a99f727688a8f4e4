"""Keeps the keys of calls without an id, so that a run goes on with its request after a crash."""

from __future__ import annotations

import os
import uuid
from collections.abc import Awaitable
from hashlib import sha256
from pathlib import Path
from typing import Protocol


class Ledger(Protocol):
    """Methods of an `AsyncCountersign`'s ledger may be `async`."""

    def load(self, name: str, /) -> str | Awaitable[str | None] | None: ...

    def save(self, name: str, key: str, /) -> Awaitable[None] | None:
        """Returns once the key is safe."""

    def remove(self, name: str, /) -> Awaitable[None] | None: ...


class MemoryLedger:
    """Lost with the process."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}

    def load(self, name: str) -> str | None:
        return self._keys.get(name)

    def save(self, name: str, key: str) -> None:
        self._keys[name] = key

    def remove(self, name: str) -> None:
        self._keys.pop(name, None)


class FileLedger:
    """
    One file for each open call in a folder that only this user can read. Give each process that
    runs at the same time a folder of its own: an equal call of another process looks like one that
    crashed.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    def load(self, name: str) -> str | None:
        try:
            return self._file_of(name).read_text("utf-8") or None
        except FileNotFoundError:
            return None

    def save(self, name: str, key: str) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self._file_of(name)
        written = file.with_name(f"{file.name}.{uuid.uuid4()}")
        descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as stream:
            stream.write(key)
            stream.flush()
            os.fsync(stream.fileno())
        written.replace(file)

    def remove(self, name: str) -> None:
        self._file_of(name).unlink(missing_ok=True)

    def _file_of(self, name: str) -> Path:
        return self._folder / sha256(name.encode()).hexdigest()
