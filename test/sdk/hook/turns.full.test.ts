/** Calls with one id, and hooks of one call: each call is a question of its own, and each question is asked once. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REVIEWER, scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';
import { bundledHook, type Ended, type Hook } from './hook-process.ts';

const { app, people, agents, decide } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;

let hook: Hook;
beforeAll(() => {
  hook = bundledHook();
  mkdirSync(join(hook.home, '.config'));
  writeFileSync(credential(), JSON.stringify({ url: app.url, token: agents.bot.credential }));
});
afterAll(() => {
  hook.remove();
});

const credential = () => join(hook.home, '.config/countersign-credential');
const RUN = () => ['--credential', credential()];

const LONG = 120_000;

interface Call {
  readonly session: string;
  readonly command: string;
  readonly scope?: string;
}
const run = async (event: string, { session, command, scope }: Call): Promise<Ended> =>
  await hook.run(['run', 'claude', ...RUN(), ...(scope === undefined ? [] : ['--scope', scope])], {
    stdin: JSON.stringify({
      ...{ hook_event_name: event, session_id: session, tool_use_id: 'call_0', cwd: '/work' },
      ...{ tool_name: 'Bash', tool_input: { command } },
    }),
  });
const before = async (call: Call) => await run('PreToolUse', call);
const after = async (call: Call) => await run('PostToolUse', call);

const openIds = async (): Promise<string[]> =>
  await app.db('approval_requests').where({ state: 'pending' }).pluck<string[]>('id');
/** The requests that these calls make are decided once all of them are there. */
async function decided(count: number, calls: readonly Call[], status = 'approved') {
  const ended = Promise.all(calls.map(before));
  let ids: string[] = [];
  await until('it asks', async () => {
    ids = await openIds();
    return ids.length === count;
  });
  for (const id of ids) expect((await decide(ada, id, { status })).status).toBe(200);
  return { ids, codes: (await ended).map(({ code }) => code) };
}
const resultOf = async (id: string | undefined) =>
  (await ada.http.get(`/api/v1/requests/${String(id)}`)).body['result'];

describe('a call with the id of another one', () => {
  test(
    'is asked about again once the other one ran, or was denied',
    async () => {
      const call = { session: 'again', command: 'make' };
      const first = await decided(1, [call]);
      // Nothing says that it has ended.
      const early = await before(call);
      expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('started before')]);
      await decided(1, [call], 'denied');
      const second = await decided(1, [call]);
      expect((await after(call)).stdout).toBe('');
      const third = await decided(1, [call]);
      expect([first.codes, second.codes, third.codes]).toEqual([[0], [0], [0]]);
      expect(new Set([...first.ids, ...second.ids, ...third.ids]).size).toBe(3);
      expect((await after(call)).stdout).toBe('');
      expect(await resultOf(third.ids[0])).toMatchObject({ outcome: 'succeeded' });
    },
    LONG,
  );

  test(
    'is compared with its own approval when both run at the same time',
    async () => {
      const calls = ['make one', 'make two'].map((command) => ({ session: 'parallel', command }));
      const { ids, codes } = await decided(2, calls);
      expect(codes).toEqual([0, 0]);
      for (const call of calls)
        expect(await after(call)).toEqual({ code: 0, stdout: '', stderr: '' });
      for (const id of ids) expect(await resultOf(id)).toMatchObject({ outcome: 'succeeded' });
    },
    LONG,
  );
});

describe('the hooks of two scopes', () => {
  const hookOf = (session: string, scope: string) => ({ session, command: 'make', scope });
  const hooksOf = (session: string) => ['user', 'project'].map((scope) => hookOf(session, scope));

  test(
    'ask one question, and let the call run once',
    async () => {
      const calls = hooksOf('scopes');
      const { ids, codes } = await decided(1, calls);
      expect(codes).toEqual([0, 0]);
      expect((await before(hookOf('scopes', 'project'))).stderr).toContain('started before');
      for (const call of calls) expect((await after(call)).stdout).toBe('');
      expect(await resultOf(ids[0])).toMatchObject({ outcome: 'succeeded' });
      const again = await decided(1, calls);
      expect([again.codes, again.ids[0] === ids[0]]).toEqual([[0, 0], false]);
    },
    LONG,
  );

  test('do not take an approval that was used, also where the kept files are lost', async () => {
    expect((await decided(1, [hookOf('lost', 'user')])).codes).toEqual([0]);
    rmSync(join(hook.home, '.local'), { recursive: true });
    const late = await before(hookOf('lost', 'project'));
    expect([late.code, late.stderr]).toEqual([2, expect.stringContaining('started before')]);
  });
});
