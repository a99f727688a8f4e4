"""Options of the Claude Agent SDK with which every tool asks before it runs, but `Read`."""

from claude_agent_sdk import ClaudeAgentOptions
from countersign_sdk import AsyncCountersign
from countersign_sdk.claude import gate_hooks

hooks = gate_hooks(AsyncCountersign(), exempt=["Read"])
options = ClaudeAgentOptions(hooks=hooks, allowed_tools=["Read", "Bash"])
