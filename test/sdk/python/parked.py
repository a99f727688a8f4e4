"""Equal calls that park at the same time, against a service in this process."""

import asyncio
import json
import os
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any
from unittest.mock import patch

from service import Service

from countersign_sdk import AsyncCountersign, Countersign, NotApproved, Ticket, ToolCall

CALL = ToolCall(tool="pay", session="s", arguments={"n": 1})


def outcome(work: Any) -> Any:
    try:
        return work()
    except NotApproved as error:
        return error.status


class Equal(unittest.TestCase):
    def setUp(self) -> None:
        self.service = Service()
        self.told: list[str] = []
        self.client = self.made()

    def made(self) -> Countersign:
        return Countersign(**self.service.options, on_pending=self.tell)

    def tell(self, ticket: Ticket) -> None:
        self.told.append(ticket.id)

    def started(self, client: Countersign, cancel: threading.Event) -> tuple[Any, list[Any]]:
        came: list[Any] = []

        def work() -> None:
            came.append(
                outcome(lambda: client.run(CALL, lambda _: "ran", park=True, cancel=cancel))
            )

        thread = threading.Thread(target=work)
        thread.start()
        return thread, came

    def waiting(self, count: int) -> None:
        self.service.wait_for(lambda: self.service.steps.count("POST") == count)

    def test_are_told_once_and_an_abort_of_one_withdraws_nothing(self) -> None:
        # Also of another client, for the same agent.
        for other in (self.client, self.made()):
            self.service.steps.clear()
            first, second = threading.Event(), threading.Event()
            one, of_one = self.started(self.client, first)
            two, of_two = self.started(other, second)
            self.waiting(2)
            first.set()
            one.join()
            self.assertEqual((of_one, self.service.statuses()[-1]), (["cancelled"], "pending"))
            self.service.decide("approved")
            two.join()
            self.assertEqual(of_two, ["ran"])
        self.assertEqual(len(self.told), 2)

    def test_of_an_agent_whose_token_was_renewed_are_its_own(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "credential")
            # Variables win over the file.
            enrolled = {
                "COUNTERSIGN_CREDENTIAL": str(file),
                "COUNTERSIGN_URL": "",
                "COUNTERSIGN_TOKEN": "",
            }
            environment = patch.dict(os.environ, enrolled)
            environment.start()
            self.addCleanup(environment.stop)
            clients = []
            for token in ("whc_1", "whc_2"):
                names = {"agent": "coder", "instance": "desk"}
                given = {**self.service.options, "token": token, **names}
                file.write_text(json.dumps(given), "utf-8")
                clients.append(Countersign(on_pending=self.tell))
        cancel = threading.Event()
        one, _ = self.started(clients[0], cancel)
        self.waiting(1)
        two, of_two = self.started(clients[1], threading.Event())
        self.waiting(2)
        cancel.set()
        one.join()
        # In this service, each token has a request of its own. The last caller ends both.
        self.assertEqual(self.service.statuses(), ["pending", "pending"])
        self.service.decide("approved", list(self.service.rows)[1])
        two.join()
        self.assertEqual((of_two, self.service.statuses()), (["ran"], ["cancelled", "approved"]))

    def test_are_withdrawn_by_the_last_one(self) -> None:
        first, second = threading.Event(), threading.Event()
        threads = [self.started(self.client, cancel)[0] for cancel in (first, second)]
        self.waiting(2)
        first.set()
        second.set()
        for thread in threads:
            thread.join()
        self.assertEqual(self.service.statuses(), ["cancelled"])

    def test_of_tasks_are_told_once_and_a_cancelled_one_withdraws_nothing(self) -> None:
        client = AsyncCountersign(**self.service.options, on_pending=self.tell)

        async def main() -> Any:
            asks = [asyncio.ensure_future(client.run(CALL, len, park=True)) for _ in range(2)]
            await asyncio.to_thread(self.waiting, 2)
            asks[0].cancel()
            await asyncio.wait({asks[0]})
            self.service.decide("approved")
            return await asks[1]

        self.assertEqual(asyncio.run(main()), 1)
        self.assertEqual(len(self.told), 1)

    def test_of_another_agent_are_not_kept_by_it(self) -> None:
        other = Countersign(self.service.options["url"], "whc_2")
        cancel = threading.Event()
        one, _ = self.started(self.client, cancel)
        self.waiting(1)
        two, of_two = self.started(other, threading.Event())
        self.waiting(2)
        cancel.set()
        one.join()
        self.assertEqual(self.service.statuses(), ["cancelled", "pending"])
        self.service.decide("approved")
        two.join()
        self.assertEqual(of_two, ["ran"])

    def test_are_told_again_after_a_notice_that_failed(self) -> None:
        failing = iter([True, False])

        def tell(ticket: Ticket) -> None:
            self.tell(ticket)
            if next(failing):
                raise OSError("no network")

        client = Countersign(**self.service.options, on_pending=tell)
        with self.assertRaises(OSError):
            client.run(CALL, len, park=True)
        self.assertEqual(outcome(lambda: client.run(CALL, len, park="2s")), "waiting")
        self.assertEqual(outcome(lambda: client.run(CALL, len, park="2s")), "waiting")
        self.assertEqual(len(self.told), 2)


if __name__ == "__main__":
    unittest.main()
