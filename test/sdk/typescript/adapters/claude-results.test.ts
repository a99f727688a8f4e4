/** The hooks for the Claude Agent SDK after a call, called as Claude Code calls them. */
import { beforeEach, expect, test } from '@jest/globals';
import { gateHooks, resume, stopped } from '../../../../sdk/typescript/src/adapters/claude.ts';
import { textOf } from '../../../../sdk/typescript/src/arguments.ts';
import { digestOf } from '../../../../sdk/typescript/src/digests.ts';
import { recordedService } from '../../../support/sdk/recorded.ts';

const service = await recordedService();
const { signal } = new AbortController();
const INPUT = { command: 'touch ran' };
const NAMES = { approve: 'mcp__shell__approve', evil: 'mcp__shell__evil' };

let countersign = service.clientOf();
const errors: string[] = [];
let hooks = gateHooks({ countersign });
let count = 0;
let id = '';
let session = '';
beforeEach(() => {
  countersign = service.clientOf();
  const onError = ({ message }: Error) => void errors.push(message);
  hooks = gateHooks({ countersign, exempt: ['Read'], onError });
  errors.length = 0;
  service.results.length = 0;
  service.keys.length = 0;
  count += 1;
  session = `session-${String(count)}`;
  id = `call-${String(count)}`;
});

const given = (more: object = {}) => ({
  ...{ session_id: session, tool_use_id: id, tool_name: NAMES.approve, tool_input: INPUT },
  ...more,
});
const before = async (more: object = {}) => {
  const [hook] = hooks.PreToolUse[0]?.hooks ?? [];
  const input = { hook_event_name: 'PreToolUse', ...given(more) };
  const output = (await hook?.(input, undefined, { signal }))?.hookSpecificOutput;
  return output?.permissionDecision ?? 'ask others';
};
const after = async (event: Exclude<keyof typeof hooks, `Pre${string}`>, more: object = {}) => {
  const [hook] = hooks[event][0]?.hooks ?? [];
  await hook?.({ hook_event_name: event, ...given(more) });
};

test.each([
  ['PostToolUse', 'succeeded'],
  ['PostToolUseFailure', 'failed'],
  ['PermissionDenied', 'refused_by_runtime'],
] as const)('%s reports what came of the call', async (event, outcome) => {
  await before();
  await after(event);
  await after('PostToolBatch', { tool_calls: [{ tool_use_id: id }] });
  expect([service.outcomes(), errors, stopped(countersign).size]).toEqual([[outcome], [], 0]);
});

test('what is left after a batch was refused by the runtime', async () => {
  await before();
  await after('PostToolBatch', { tool_calls: [{ tool_use_id: id }] });
  expect(service.outcomes()).toEqual(['refused_by_runtime']);
});

test.each([
  ['arguments', { tool_input: { command: 'evil' } }, { command: 'evil' }],
  ['tool', { tool_name: NAMES.evil }, INPUT],
])(
  'a call with another %s than the approved one stops the session until it is resumed',
  async (_what, other, ran) => {
    await before();
    await after('PostToolUse', other);
    const digest = digestOf(textOf(ran));
    expect(service.results).toEqual([{ outcome: 'ran_differently', arguments_digest: digest }]);
    const asked = service.keys.length;
    const next = { tool_use_id: `${id}-next` };
    expect([await before(next), await before({ ...next, tool_name: 'Read' })]).toEqual([
      'deny',
      'deny',
    ]);
    expect(service.keys).toHaveLength(asked);
    expect(stopped(countersign).get(session)).toMatch(/Approved: .*touch ran.* Ran: mcp__shell__/);
    expect(errors).toEqual([stopped(countersign).get(session)]);
    // Another session goes on.
    expect(await before({ session_id: `${session}-other` })).toBe('ask others');
    resume(countersign, session);
    expect(await before(next)).toBe('ask others');
  },
);

test.each([
  ['sessions', { session_id: 'another' }],
  ['parallel calls', { tool_input: { command: 'touch other' } }],
])('two %s whose calls have the same id are told apart', async (_what, other) => {
  await before();
  await before(other);
  await after('PostToolUse');
  await after('PostToolUse', other);
  expect([service.outcomes(), errors]).toEqual([['succeeded', 'succeeded'], []]);
});

test('an equal call with the same id is another one once the one before it has ended', async () => {
  const asked = [await before()];
  await after('PostToolUse');
  // The third one comes while the second one runs, so it is the same. What was denied has ended.
  for (let at = 0; at < 3; at += 1) asked.push(await before());
  expect(asked).toEqual(['ask others', 'ask others', 'deny', 'ask others']);
  expect(new Set(service.keys).size).toBe(3);
});

test('after a restart, a call that ran before is denied once', async () => {
  for (let at = 0; at < 2; at += 1) {
    await before();
    await after('PostToolUse');
  }
  hooks = gateHooks({ countersign: service.clientOf() });
  expect([await before(), await before()]).toEqual(['deny', 'ask others']);
});

test('a command of a skill that comes again is another call', async () => {
  const command = { hook_event_name: 'PreSkillShellCommand' };
  expect([await before(command), await before(command)]).toEqual(['ask others', 'ask others']);
});

test('an exempt call that was refused does not hide another one with its id', async () => {
  await before({ tool_name: 'Read' });
  await after('PostToolBatch', { tool_calls: [{ tool_use_id: id }] });
  await after('PostToolUse');
  expect(errors).toHaveLength(1);
});

test('what a person answered for the same call is not another one', async () => {
  const asked = { tool_name: 'AskUserQuestion', tool_input: { questions: [1] } };
  // The service in this process approves no such tool by itself.
  const waiting = before(asked);
  await service.decided();
  await waiting;
  const filled = { questions: [1], answers: { a: 'b' } };
  await after('PostToolUse', { ...asked, tool_input: filled });
  expect([service.outcomes(), stopped(countersign).size]).toEqual([['succeeded'], 0]);
});

test('a call that ran without being asked about is reported, and an exempt one is not', async () => {
  await before({ tool_name: 'Read' });
  await after('PostToolUse', { tool_name: 'Read' });
  expect(errors).toEqual([]);
  await after('PostToolUse', { tool_name: 'Read' });
  const unknown = expect.stringContaining('No approval of this call is known. Ran: Read');
  expect(errors).toEqual([unknown]);
  expect([service.results, await before()]).toEqual([[], 'ask others']);
});

test('without `onError`, the process warns', async () => {
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  hooks = gateHooks({ countersign });
  await after('PostToolUse');
  const message = expect.stringContaining('No approval of this call is known.');
  expect(await warned).toMatchObject({ name: 'CountersignWarning', message });
});
