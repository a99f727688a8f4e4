"""Starts of which the response is lost, and what is reported of calls, against a service in this
process."""

import asyncio
import threading
import time
import unittest
from typing import Any

from service import Service

from countersign_sdk import (
    AsyncCountersign,
    Countersign,
    MemoryLedger,
    NotApproved,
    ToolCall,
    Unavailable,
)

CALL = ToolCall(tool="pay", session="s", call_id="1", arguments={"n": 1})
UNKNOWN = "did not confirm that it started the approval"


class Starts(unittest.TestCase):
    def setUp(self) -> None:
        self.service = Service()
        self.service.outcome = lambda _: "approved"
        self.ran: list[Any] = []
        self.client = Countersign(**self.service.options, limit="12s")

    def lose(self, step: str, times: int) -> None:
        """The first of them."""
        left = iter(range(times))
        self.service.lose = lambda each: each == step and next(left, None) is not None

    def away_for_starts(self) -> None:
        """Until the limit, less the time that is kept to report."""
        back = time.monotonic() + 9.1
        self.service.lose = lambda step: step == "POST start" and time.monotonic() < back

    def outcomes(self) -> list[str]:
        return [each["outcome"] for each in self.service.results]

    def test_that_are_never_confirmed_are_reported_as_not_run(self) -> None:
        self.away_for_starts()
        with self.assertRaises(Unavailable) as raised:
            self.client.run(CALL, self.ran.append)
        self.assertEqual((self.ran, self.outcomes()), ([], ["not_run"]))
        self.assertEqual(raised.exception.reason, "unreachable")
        self.assertIn(UNKNOWN, str(raised.exception))

    def test_that_are_never_confirmed_are_reported_by_settle_too(self) -> None:
        ticket = self.client.start(CALL)
        self.away_for_starts()
        with self.assertRaises(Unavailable) as raised:
            self.client.settle(ticket)
        self.assertEqual(self.outcomes(), ["not_run"])
        self.assertIn(UNKNOWN, str(raised.exception))

    def test_that_are_cancelled_are_reported_as_not_run(self) -> None:
        cancel = threading.Event()
        starts = iter([cancel.set])

        def lose(step: str) -> bool:
            stop = next(starts, None) if step == "POST start" else None
            if stop is not None:
                stop()
            return stop is not None

        self.service.lose = lose
        with self.assertRaises(NotApproved) as raised:
            self.client.run(CALL, self.ran.append, cancel=cancel)
        self.assertEqual((raised.exception.status, self.outcomes()), ("cancelled", ["not_run"]))

    def test_of_a_cancelled_task_are_reported_as_not_run(self) -> None:
        client = AsyncCountersign(**self.service.options)
        self.lose("POST start", 1)

        async def main() -> None:
            task = asyncio.ensure_future(client.run(CALL, self.ran.append))
            started = lambda: "POST start" in self.service.steps  # noqa: E731
            await asyncio.to_thread(self.service.wait_for, started)
            task.cancel()
            await asyncio.wait({task})

        asyncio.run(main())
        self.assertEqual((self.ran, self.outcomes()), ([], ["not_run"]))

    def test_that_are_cancelled_while_their_key_is_forgotten_are_reported_as_not_run(self) -> None:
        cancel = threading.Event()

        class Cancelling(MemoryLedger):
            def remove(self, name: str) -> None:
                cancel.set()

        client = Countersign(**self.service.options, ledger=Cancelling())
        call = ToolCall(tool="pay", session="s", arguments={"n": 1})
        ticket = client.start(ToolCall(tool="pay", session="other", arguments={"n": 1}))
        for attempt in (
            lambda: client.ask(call, cancel=cancel),
            lambda: client.settle(ticket, cancel=cancel),
        ):
            cancel.clear()
            self.service.results.clear()
            with self.assertRaises(NotApproved):
                attempt()
            self.assertEqual(self.outcomes(), ["not_run"])

    def test_that_a_repeat_confirms_run_once(self) -> None:
        self.lose("POST start", 2)
        self.assertEqual(self.client.run(CALL, lambda _: "ran"), "ran")
        self.assertEqual(self.outcomes(), ["succeeded"])

    def test_of_another_caller_are_not_reported(self) -> None:
        """One that was lost, while another process started the same approval and runs it."""
        key = "of another"

        def lose(step: str) -> bool:
            if step == "POST start":
                self.service.started.update(dict.fromkeys(self.service.rows, key))
                return self.service.steps.count(step) == 1
            return False

        self.service.lose = lose
        with self.assertRaises(NotApproved) as raised:
            self.client.run(CALL, self.ran.append)
        self.assertEqual((raised.exception.status, self.outcomes()), ("used", []))

    def test_that_the_service_refuses_are_not_reported(self) -> None:
        self.client.ask(CALL)
        with self.assertRaises(NotApproved) as raised:
            self.client.run(CALL, self.ran.append)
        self.assertEqual((raised.exception.status, self.outcomes()), ("used", []))


class Results(unittest.TestCase):
    def test_have_a_detail_of_2000_characters_and_a_digest(self) -> None:
        service = Service()
        service.outcome = lambda _: "approved"
        client = Countersign(**service.options)
        client.report(client.ask(CALL), "ran_differently", "x" * 2_001, arguments_digest="ab")
        (result,) = service.results
        self.assertEqual((len(result["detail"]), result["arguments_digest"]), (2_000, "ab"))


if __name__ == "__main__":
    unittest.main()
