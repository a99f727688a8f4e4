/** The programs that run hooks: how each is asked for a call, and told that it must not run. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Members } from '../../typescript/src/exact.ts';
import { readClaude, readCodex, readCursor, type HookCall } from './run/events.ts';

export const RUNTIME_NAMES = ['claude', 'codex', 'cursor'] as const;
export type RuntimeName = (typeof RUNTIME_NAMES)[number];

export interface Runtime {
  readonly name: RuntimeName;
  readonly title: string;
  /** The events before a call, at which it asks. */
  readonly before: readonly string[];
  readonly read: (event: Members) => HookCall;
  /** The events after a call, at which it compares what ran. */
  readonly after: readonly string[];
  /** What the hook prints when the call may run. Where the runtime takes it, this is the input that was approved. */
  readonly pass: (call: HookCall) => string;
  readonly denial: (reason: string) => unknown;
  /** Below the home folder or the project. */
  readonly file: string;
  readonly userFile: () => string;
  /** What it does when the hook ends without a decision. */
  readonly whenHookFails: string;
}

/**
 * Other hooks may give another input, and the last one to end counts. Without a decision, the permissions of Claude Code stay in
 * force. Codex takes an input with `allow` only, and applies its rules and its sandbox all the same.
 */
const pinned =
  (decision: string) =>
  ({ given }: HookCall): string =>
    given
      ? `{"hookSpecificOutput":{"hookEventName":"PreToolUse",${decision}"updatedInput":${given.input}}}`
      : '';

/** Both know these fields. Codex refuses a response with any other, and runs the tool. */
const preToolUseDenial = (reason: string) => ({
  hookSpecificOutput: {
    ...{ hookEventName: 'PreToolUse', permissionDecision: 'deny' },
    permissionDecisionReason: reason,
  },
});

const RUNTIMES: Readonly<Record<RuntimeName, Runtime>> = {
  claude: {
    ...{ name: 'claude', title: 'Claude Code' },
    // A command in the text of a skill is no call of a tool.
    before: ['PreToolUse', 'PreSkillShellCommand'],
    after: ['PostToolUse', 'PostToolUseFailure', 'PostToolBatch'],
    pass: pinned(''),
    read: readClaude,
    denial: preToolUseDenial,
    file: '.claude/settings.json',
    userFile: () =>
      join(process.env['CLAUDE_CONFIG_DIR'] || join(homedir(), '.claude'), 'settings.json'),
    whenHookFails: 'Claude Code blocks the call, because of "onFailure": "block"',
  },
  codex: {
    ...{ name: 'codex', title: 'Codex', before: ['PreToolUse'], after: ['PostToolUse'] },
    pass: pinned('"permissionDecision":"allow",'),
    read: readCodex,
    denial: preToolUseDenial,
    file: '.codex/hooks.json',
    userFile: () => join(process.env['CODEX_HOME'] || join(homedir(), '.codex'), 'hooks.json'),
    whenHookFails: 'the shell around it exits with 2, so Codex blocks the call',
  },
  cursor: {
    ...{ name: 'cursor', title: 'Cursor' },
    before: ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution'],
    read: readCursor,
    // Cursor takes an empty output for a failure, and blocks.
    ...{ after: [], pass: () => '{}' },
    denial: (reason) => ({ permission: 'deny', user_message: reason, agent_message: reason }),
    file: '.cursor/hooks.json',
    userFile: () => join(homedir(), '.cursor/hooks.json'),
    whenHookFails: 'Cursor blocks the call, because of "failClosed": true',
  },
};

export function runtimeNamed(name: string | undefined): Runtime | undefined {
  const known = RUNTIME_NAMES.find((each) => each === name);
  return known && RUNTIMES[known];
}
