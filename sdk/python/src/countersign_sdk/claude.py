"""For the Claude Agent SDK: every tool of an agent is asked for first, by its hooks."""

from __future__ import annotations

import asyncio
import json
import re
import warnings
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from claude_agent_sdk import HookMatcher

from . import Approved, AsyncCountersign, CallOutcome, NotApproved, ToolCall, Unavailable
from .arguments import text_of
from .checks import digest_of
from .limits import seconds_of
from .state.turns import Turn, turns_of

_EVENTS = ("PreToolUse", "PreSkillShellCommand")
_REFUSED_EVENTS = ("PostToolBatch", "PermissionDenied")
_RESULT_EVENTS = ("PostToolUse", "PostToolUseFailure", *_REFUSED_EVENTS)
_RESULT_SECONDS = 10
_SHOWN = 800
"""Characters of a call."""

_RESERVE_S = 10
"""Of the limit, the time to withdraw and to say so."""


OnError = Callable[[Exception], None]
"""
Another call ran than the approved one, or one that the hooks were never asked about. Default: a
`RuntimeWarning`. What it raises is ignored.
"""


def gate_hooks(
    countersign: AsyncCountersign,
    *,
    exempt: Collection[str] = (),
    limit: str = "16m",
    on_error: OnError | None = None,
) -> dict[Any, list[HookMatcher]]:
    """
    The `hooks` of an agent. Commands in the text of a skill are no calls of a tool, so they have an
    entry of their own. The parameters are those of `pre_tool_use` and `post_tool_use`.
    """
    gate = pre_tool_use(countersign, exempt=exempt, limit=limit)
    result = post_tool_use(countersign, on_error=on_error)
    return {
        **{event: [gate] for event in _EVENTS},
        **{event: [result] for event in _RESULT_EVENTS},
    }


def post_tool_use(countersign: AsyncCountersign, *, on_error: OnError | None = None) -> HookMatcher:
    """
    One entry, for `PostToolUse`, `PostToolUseFailure`, `PostToolBatch` and `PermissionDenied`,
    beside hooks of your own. It reports what came of a call. A later hook and `can_use_tool` can
    change a call: another one than the approved one stops the session, see `resume`.
    """
    seen = _seen_by(countersign)

    async def report(given: Any, _id: str | None, _: Any) -> dict[str, Any]:
        event = given["hook_event_name"]
        if event in _REFUSED_EVENTS:
            # What is still there when all calls of a message have ended did not run.
            for each in given.get("tool_calls", [given]):
                started = seen.take({**each, "session_id": given["session_id"]})
                if started is not None and started.approved is not None:
                    await countersign.report(started.approved, "refused_by_runtime")
            return {}
        started = seen.take(given)
        if started is None:
            _tell(f"No approval of this call is known. {_ran_of(given)}", on_error)
            return {}
        if started.approved is None:
            return {}
        if not _is_same(given, started.tool, started.approved):
            # Before the report, which may take a while.
            stop = _stop_of(given, started.tool, started.approved)
            seen.stopped[given["session_id"]] = stop
            _tell(stop, on_error)
            digest = _digest_of(given.get("tool_input"))
            await countersign.report(started.approved, "ran_differently", arguments_digest=digest)
            return {}
        outcome: CallOutcome = "succeeded" if event == "PostToolUse" else "failed"
        await countersign.report(started.approved, outcome)
        return {}

    return HookMatcher(hooks=[report], timeout=_RESULT_SECONDS)


def stopped(countersign: AsyncCountersign) -> dict[str, str]:
    """The sessions in which another call ran than the one that was approved, each with both."""
    return dict(_seen_by(countersign).stopped)


def resume(countersign: AsyncCountersign, session: str) -> None:
    """Lets a session go on that was stopped. Call it once a person has looked at what ran."""
    _seen_by(countersign).stopped.pop(session, None)


@dataclass(frozen=True)
class _Started:
    tool: str
    """Its full name."""
    approved: Approved | None
    """None for a call that needs no approval."""
    turn: Turn | None = None


_Key: TypeAlias = "tuple[str | None, str | None, str | None, str | None]"


def _key_of(given: Mapping[str, Any]) -> _Key:
    names = (given.get(name) for name in ("session_id", "tool_use_id", "tool_name"))
    return (*names, _digest_of(given.get("tool_input")))  # type: ignore[return-value]


@dataclass(frozen=True)
class _Seen:
    started: dict[_Key, _Started] = field(default_factory=dict)
    """Calls that may run and have no result yet. Some models repeat the ids of calls."""
    stopped: dict[str, str] = field(default_factory=dict)
    """Why, by the session."""

    def take(self, given: Mapping[str, Any]) -> _Started | None:
        """This call, or else what it was before it changed: one with its session and id."""
        key = _key_of(given)
        if key not in self.started:
            alike = [each for each in self.started if each[:2] == key[:2]]
            # One with an approval first.
            alike.sort(key=lambda each: self.started[each].approved is None)
            key = alike[0] if alike else key
        found = self.started.pop(key, None)
        if found is not None and found.turn is not None:
            found.turn.end()
        return found


_seen: WeakKeyDictionary[AsyncCountersign, _Seen] = WeakKeyDictionary()


def _seen_by(countersign: AsyncCountersign) -> _Seen:
    return _seen.setdefault(countersign, _Seen())


def _stop_of(given: Mapping[str, Any], tool: str, approved: Approved) -> str:
    return (
        "Another call ran than the one that was approved, so Countersign stopped this session. "
        f"Approved: {tool} {approved.arguments_text[:_SHOWN]}. "
        f"{_ran_of(given)} A person looks at it, and lets the session go on with resume."
    )


def _ran_of(given: Mapping[str, Any]) -> str:
    arguments = json.dumps(given.get("tool_input"), ensure_ascii=False)
    ran = f"{given.get('tool_name')} {arguments}"
    return f"Ran: {ran[:_SHOWN]}."


def _tell(message: str, on_error: OnError | None) -> None:
    # The call ended, and its result is to be reported.
    with suppress(Exception):
        if on_error is None:
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        else:
            on_error(RuntimeError(message))


def _digest_of(arguments: Any) -> str | None:
    try:
        return digest_of(text_of(arguments))
    except (TypeError, ValueError):
        return None


_FILLED_IN = ("AskUserQuestion", "ExitPlanMode")
"""Into the input of these, Claude Code itself puts what a person answered."""


def _is_same(given: Mapping[str, Any], tool: str, approved: Approved) -> bool:
    ran = given.get("tool_input")
    if given.get("tool_name") != tool:
        return False
    if _digest_of(ran) == digest_of(approved.arguments_text):
        return True
    return (
        tool in _FILLED_IN
        and isinstance(ran, Mapping)
        and all(
            name in ran and _digest_of({"value": ran[name]}) == _digest_of({"value": value})
            for name, value in approved.arguments.items()
        )
    )


def pre_tool_use(
    countersign: AsyncCountersign, *, exempt: Collection[str] = (), limit: str = "16m"
) -> HookMatcher:
    """
    One entry, for both events, beside hooks of your own. It has no `matcher`, so it is called for
    every tool.
    `exempt` are tools that run without being asked for, by their full names, such as `Read`.
    `limit` is the most time that the hook may take, more than reviewers have.
    """
    if isinstance(exempt, str) or not isinstance(countersign, AsyncCountersign):
        raise TypeError("pre_tool_use needs an AsyncCountersign, and a list of exempt tools.")
    seconds = seconds_of(limit, "limit")
    reserve = min(_RESERVE_S, seconds / 2)
    seen = _seen_by(countersign)

    async def ask(given: Any, _id: str | None, _: Any) -> dict[str, Any]:
        event = given["hook_event_name"]
        stop = seen.stopped.get(given["session_id"])
        if stop is not None:
            return _output(event, permissionDecision="deny", permissionDecisionReason=stop)
        if given["tool_name"] in exempt:
            if event == "PreToolUse":
                seen.started[_key_of(given)] = _Started(given["tool_name"], None)
            return {}
        turn: Turn | None = None
        try:
            turn = turns_of(countersign).next(_call_of(given))
            asking = asyncio.ensure_future(countersign.ask(turn.call))
            approved = await _within(asking, seconds - reserve, reserve / 2)
        except BaseException as error:
            if turn is not None:
                turn.end(error)
            if not isinstance(error, Exception):
                raise
            reason = {"permissionDecisionReason": _for_model(error)}
            return _output(event, permissionDecision="deny", **reason)
        # Another hook may have changed the arguments since. The last one to end has the last word.
        pinned = {"updatedInput": approved.arguments} if event == "PreToolUse" else {}
        if pinned:
            seen.started[_key_of(given)] = _Started(given["tool_name"], approved, turn)
        else:
            # No event says that a command of a skill has ended.
            turn.end()
        return _output(event, **pinned)

    # A Claude Code that runs tools after a failed hook refuses to start with `block`.
    return HookMatcher(hooks=[ask], timeout=seconds, on_failure="block")


async def _within(asking: asyncio.Future[Any], seconds: float, withdrawing: float) -> Any:
    """Ends the ask before the hook's own limit, even if withdrawing hangs."""
    try:
        done, _ = await asyncio.wait({asking}, timeout=seconds)
        if done:
            return asking.result()
        asking.cancel()
        await asyncio.wait({asking}, timeout=withdrawing)
        raise NotApproved("expired")
    except asyncio.CancelledError:
        # The agent no longer waits.
        asking.cancel()
        await asyncio.wait({asking}, timeout=withdrawing)
        raise


def _output(event: str, **more: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **more}}


def _call_of(given: Mapping[str, Any]) -> ToolCall:
    server, tool = _names_of(given)
    context = {each: given[each] for each in ("cwd", "agent_type") if given.get(each)}
    return ToolCall(
        tool=tool,
        server=server,
        arguments=given["tool_input"],
        session=given["session_id"],
        call_id=given["tool_use_id"],
        context=context,
    )


def _names_of(given: Mapping[str, Any]) -> tuple[str | None, str]:
    """`mcp__server__tool`. A server whose name has two underscores is split where its name ends."""
    name: str = given["tool_name"]
    server = (given.get("mcp_server") or {}).get("name")
    known = f"mcp__{re.sub('[^a-zA-Z0-9_-]', '_', server)}__" if server else None
    if known and name.startswith(known):
        start = known
    else:
        found = re.match("mcp__.+?__(?=.)", name)
        start = found[0] if found else ""
    return (start[len("mcp__") : -len("__")] or None, name[len(start) :])


def _for_model(error: Exception) -> str:
    if isinstance(error, NotApproved | Unavailable):
        return error.to_model
    return "No one could be asked about this call, so it did not run."
