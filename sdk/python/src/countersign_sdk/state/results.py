"""
Results of calls, kept with the checkpoint of a graph. A node that runs again gets what its call
returned. It is no approval: a call without a kept result is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arguments import text_of
from ..calls import ToolCall
from ..checks import digest_of, key_of

CHECKPOINTER = "__pregel_checkpointer"
_CHANNEL = "countersign_result"
Found = tuple[Any]
"""A result, which may be None."""


class Kept:
    """Of one call, in the node that makes it, with the node's config."""

    def __init__(self, call: ToolCall, config: Mapping[str, Any]) -> None:
        place = config.get("configurable", {})
        self._saver = place.get(CHECKPOINTER)
        parent = "|".join(str(place.get("checkpoint_ns", "")).split("|")[:-1])
        checkpoint = place.get("checkpoint_map", {}).get(parent)
        if not checkpoint or not place.get("thread_id"):
            self._saver = None
        self._config: Any = {
            "configurable": {
                "thread_id": place.get("thread_id"),
                "checkpoint_ns": parent,
                "checkpoint_id": checkpoint,
            }
        }
        names = (call.session, call.call_id or "", str(call.ordinal), call.tool, call.server or "")
        self._key = key_of(*names, digest_of(text_of(call.arguments)))

    def load(self) -> Found | None:
        return self._saver and self._found(self._saver.get_tuple(self._config))

    async def load_async(self) -> Found | None:
        return self._saver and self._found(await self._saver.aget_tuple(self._config))

    def save(self, result: Any) -> None:
        """Never raises: the call ran. Not every result can be kept."""
        try:
            if self._saver:
                self._saver.put_writes(self._config, [(_CHANNEL, result)], self._key)
        except Exception:
            return

    async def save_async(self, result: Any) -> None:
        try:
            if self._saver:
                await self._saver.aput_writes(self._config, [(_CHANNEL, result)], self._key)
        except Exception:
            return

    def _found(self, checkpoint: Any) -> Found | None:
        for task, channel, result in (checkpoint and checkpoint.pending_writes) or ():
            if (task, channel) == (self._key, _CHANNEL):
                return (result,)
        return None
