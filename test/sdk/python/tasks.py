"""Both clients in trio, and in asyncio under anyio."""

import threading
import unittest
from functools import partial
from typing import Any

import anyio
import trio
from service import Service

from countersign_sdk import AsyncCountersign, Countersign, ToolCall

CALL = ToolCall(tool="pay", session="s", call_id="1", arguments={})


class Tasks(unittest.TestCase):
    def setUp(self) -> None:
        self.service = Service()

    def test_of_trio_are_told_to_use_threads(self) -> None:
        client = AsyncCountersign(**self.service.options)
        with self.assertRaisesRegex(TypeError, r"to_thread\.run_sync"):
            trio.run(client.run, CALL, print)
        self.assertEqual(self.service.rows, {})

    def test_of_trio_ask_in_a_thread_and_withdraw_when_they_are_cancelled(self) -> None:
        """As the guide says."""
        pending = threading.Event()
        client = Countersign(**self.service.options, on_pending=lambda _: pending.set())

        async def ask() -> Any:
            cancel = threading.Event()
            try:
                asking = partial(client.ask, CALL, cancel=cancel)
                return await trio.to_thread.run_sync(asking, abandon_on_cancel=True)
            finally:
                cancel.set()

        async def main() -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ask)
                await trio.to_thread.run_sync(pending.wait)
                nursery.cancel_scope.cancel()

        trio.run(main)
        self.service.wait_for(lambda: self.service.statuses() == ["cancelled"])
        self.service.outcome = lambda _: "approved"
        client = Countersign(**self.service.options)
        other = ToolCall(tool="pay", session="s", call_id="2", arguments={})
        asked = partial(trio.to_thread.run_sync, partial(client.run, other, lambda _: "ran"))
        self.assertEqual(trio.run(asked), "ran")

    def test_of_anyio_in_asyncio_withdraw_when_they_are_cancelled(self) -> None:
        async def main() -> None:
            async with anyio.create_task_group() as group:
                client = AsyncCountersign(
                    **self.service.options, on_pending=lambda _: group.cancel_scope.cancel()
                )
                await client.run(CALL, print)

        anyio.run(main)
        self.assertEqual(self.service.statuses(), ["cancelled"])


if __name__ == "__main__":
    unittest.main()
