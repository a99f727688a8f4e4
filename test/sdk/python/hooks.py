"""The hooks for the Claude Agent SDK, called as Claude Code calls them."""

import unittest
from typing import Any

from service import Service

from countersign_sdk import AsyncCountersign
from countersign_sdk.arguments import text_of
from countersign_sdk.checks import digest_of
from countersign_sdk.claude import gate_hooks, resume, stopped

INPUT = {"command": "touch ran"}


class Hooks(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.service = Service()
        self.service.outcome = lambda _: "approved"
        self.client = AsyncCountersign(**self.service.options)
        self.errors: list[str] = []
        self.hooks = gate_hooks(
            self.client, exempt=["Read"], on_error=lambda error: self.errors.append(str(error))
        )

    async def say(self, event: str, **more: Any) -> Any:
        """What the hooks of an event return."""
        (matcher,) = self.hooks[event]
        (hook,) = matcher.hooks
        call = {"session_id": "s", "tool_use_id": "1", "tool_name": "Bash", "tool_input": INPUT}
        given = {"hook_event_name": event, **call, **more}
        return await hook(given, given["tool_use_id"], {"signal": None})

    async def decision(self, **more: Any) -> Any:
        output = await self.say("PreToolUse", **more)
        return output["hookSpecificOutput"].get("permissionDecision", "ask others")

    def outcomes(self) -> list[str]:
        return [each["outcome"] for each in self.service.results]

    async def test_report_what_came_of_a_call(self) -> None:
        for event, id in (("PostToolUse", "1"), ("PostToolUseFailure", "2")):
            await self.decision(tool_use_id=id)
            await self.say(event, tool_use_id=id)
        self.assertEqual((self.outcomes(), stopped(self.client)), (["succeeded", "failed"], {}))

    async def test_report_what_the_runtime_refused(self) -> None:
        await self.decision(tool_use_id="1")
        await self.say("PermissionDenied", tool_use_id="1")
        await self.decision(tool_use_id="2")
        await self.decision(tool_use_id="3")
        await self.say("PostToolUse", tool_use_id="3")
        calls = [{"tool_use_id": "2"}, {"tool_use_id": "3"}]
        await self.say("PostToolBatch", tool_calls=calls)
        self.assertEqual(self.outcomes(), ["refused_by_runtime", "succeeded", "refused_by_runtime"])

    async def test_stop_a_session_in_which_another_call_ran_until_it_is_resumed(self) -> None:
        others: list[dict[str, Any]] = [{"tool_input": {"command": "evil"}}, {"tool_name": "Evil"}]
        for at, other in enumerate(others):
            ids = {"session_id": f"s{at}", "tool_use_id": f"{at}"}
            await self.decision(**ids)
            await self.say("PostToolUse", **ids, **other)
            next_ids = {**ids, "tool_use_id": f"next {at}"}
            asked = len(self.service.rows)
            self.assertEqual(await self.decision(**next_ids), "deny")
            self.assertEqual(await self.decision(**next_ids, tool_name="Read"), "deny")
            self.assertEqual(len(self.service.rows), asked)
            self.assertRegex(stopped(self.client)[f"s{at}"], "Approved: Bash .*touch ran.* Ran: ")
            # Another session goes on.
            self.assertEqual(await self.decision(tool_use_id=f"other {at}"), "ask others")
            resume(self.client, f"s{at}")
            self.assertEqual(await self.decision(**next_ids), "ask others")
        self.assertEqual(len(self.errors), 2)
        digests = [each["arguments_digest"] for each in self.service.results]
        given = [{"command": "evil"}, INPUT]
        self.assertEqual(digests, [digest_of(text_of(each)) for each in given])
        self.assertEqual(self.outcomes(), ["ran_differently"] * 2)

    async def test_tell_calls_with_the_same_id_apart(self) -> None:
        others: list[dict[str, Any]] = [
            {"session_id": "another"},
            {"tool_input": {"command": "touch other"}},
        ]
        for other in others:
            self.service.results.clear()
            await self.decision(tool_use_id=f"{other}")
            await self.decision(**{"tool_use_id": f"{other}", **other})
            await self.say("PostToolUse", tool_use_id=f"{other}")
            await self.say("PostToolUse", **{"tool_use_id": f"{other}", **other})
            self.assertEqual(self.outcomes(), ["succeeded"] * 2)

    async def test_ask_about_an_equal_call_once_the_one_before_it_has_ended(self) -> None:
        asked = [await self.decision()]
        await self.say("PostToolUse")
        # The third one comes while the second one runs. What was denied has ended.
        asked += [await self.decision() for _ in range(3)]
        self.assertEqual(asked, ["ask others", "ask others", "deny", "ask others"])
        self.assertEqual(len(self.service.rows), 3)

    async def test_deny_a_call_that_ran_before_a_restart_once(self) -> None:
        for _ in range(2):
            await self.decision()
            await self.say("PostToolUse")
        self.hooks = gate_hooks(AsyncCountersign(**self.service.options))
        asked = [await self.decision(), await self.decision()]
        self.assertEqual(asked, ["deny", "ask others"])

    async def test_ask_about_a_command_of_a_skill_that_comes_again(self) -> None:
        for _ in range(2):
            output = await self.say("PreSkillShellCommand")
            self.assertNotIn("permissionDecision", output["hookSpecificOutput"])

    async def test_forget_an_exempt_call_that_was_refused(self) -> None:
        await self.say("PreToolUse", tool_name="Read")
        await self.say("PostToolBatch", tool_calls=[{"tool_use_id": "1"}])
        await self.say("PostToolUse")
        self.assertEqual(len(self.errors), 1)

    async def test_tell_of_a_call_that_they_were_never_asked_about(self) -> None:
        read = {"tool_name": "Read", "tool_use_id": "2"}
        await self.say("PreToolUse", **read)
        await self.say("PostToolUse", **read)
        self.assertEqual(self.errors, [])
        await self.say("PostToolUse")
        self.assertRegex(self.errors[0], "No approval of this call is known. Ran: Bash .*touch ran")
        self.assertEqual(stopped(self.client), {})

    async def test_report_a_difference_although_on_error_raises(self) -> None:
        def fail(_: Exception) -> None:
            raise OSError("no network")

        self.hooks = gate_hooks(self.client, on_error=fail)
        await self.decision()
        await self.say("PostToolUse", tool_name="Evil")
        self.assertEqual(self.outcomes(), ["ran_differently"])

    async def test_take_what_a_person_answered_for_the_same_call(self) -> None:
        asked = {"tool_name": "AskUserQuestion", "tool_input": {"questions": [1]}}
        await self.decision(**asked)
        filled = {"questions": [1], "answers": {"a": "b"}}
        await self.say("PostToolUse", **{**asked, "tool_input": filled})
        self.assertEqual((self.outcomes(), stopped(self.client)), (["succeeded"], {}))


if __name__ == "__main__":
    unittest.main()
