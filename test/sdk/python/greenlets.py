"""The client for threads in greenlets of gevent, which has patched the standard library."""

from gevent import monkey

monkey.patch_all()

import threading  # noqa: E402
import time  # noqa: E402
import unittest  # noqa: E402
from typing import Any  # noqa: E402

import gevent  # noqa: E402
from countersign_sdk import Countersign, NotApproved, Ticket, ToolCall, Unavailable  # noqa: E402
from service import Service  # noqa: E402

CALL = ToolCall(tool="pay", session="s", call_id="1", arguments={})


class Greenlets(unittest.TestCase):
    def setUp(self) -> None:
        self.service = Service()
        self.pending = gevent.event.Event()

    def client(self, **more: Any) -> Countersign:
        options = {"limit": "1m", "on_pending": lambda _: self.pending.set(), **more}
        return Countersign(**self.service.options, **options)

    def spawned(self, **more: Any) -> Any:
        greenlet = gevent.spawn(lambda: self.client().run(CALL, lambda _: "ran", **more))
        self.pending.wait(30)
        return greenlet

    def test_run_an_approved_call_while_others_go_on(self) -> None:
        greenlet = self.spawned()
        self.service.decide("approved")
        self.assertEqual(greenlet.get(timeout=30), "ran")

    def test_withdraw_when_they_are_killed(self) -> None:
        self.spawned().kill(timeout=30)
        self.assertEqual(self.service.statuses(), ["cancelled"])

    def test_withdraw_when_cancel_is_set(self) -> None:
        cancel = threading.Event()
        greenlet = self.spawned(cancel=cancel)
        cancel.set()
        with self.assertRaises(NotApproved):
            greenlet.get(timeout=30)
        self.assertEqual(self.service.statuses(), ["cancelled"])

    def test_withdraw_when_a_timeout_of_gevent_ends(self) -> None:
        client = self.client()
        with self.assertRaises(gevent.Timeout), gevent.Timeout(2):
            client.run(CALL, print)
        self.assertEqual(self.service.statuses(), ["cancelled"])

    def test_end_at_the_limit_although_a_callback_hangs(self) -> None:
        def hang(_: Ticket) -> None:
            time.sleep(1_000)

        began = time.monotonic()
        with self.assertRaises(Unavailable):
            self.client(on_pending=hang, limit="4s").run(CALL, print)
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(self.service.statuses(), ["cancelled"])


if __name__ == "__main__":
    unittest.main()
