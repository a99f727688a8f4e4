/** The gate of the Claude Agent SDK, on the real Claude Code with a scripted model: a tool runs with an approval, or not at all. */
import type { HookCallback } from '@anthropic-ai/claude-agent-sdk';
import { afterAll, describe, expect } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  gateHooks,
  preToolUse,
  type ClaudeGate,
} from '../../../sdk/typescript/src/adapters/claude.ts';
import { Countersign, type Options } from '../../../sdk/typescript/src/index.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { startLine } from '../../support/servers/line.ts';
import { environmentFor, startMessagesApi } from '../../support/servers/messages-api.ts';
import { until } from '../../support/waiting.ts';
import { framework, test } from './framework.ts';

const { createSdkMcpServer, query, tool } = await framework(
  () => import('@anthropic-ai/claude-agent-sdk'),
);

const { app, people, agents, decide } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;
const home = mkdtempSync(join(tmpdir(), 'countersign-claude-'));
const project = join(home, 'project');
mkdirSync(project);
afterAll(() => {
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

const asked: string[] = [];
const clientOf = (more: Options = {}) =>
  new Countersign({
    ...{ url: app.url, token: agents.bot.credential, limit: '2m' },
    onPending: ({ id }) => {
      asked.push(id);
    },
    ...more,
  });
const stateOf = async (id: string | undefined) =>
  (await app.db('approval_requests').where({ id }).first<{ state: string }>('state')).state;
/** The request after those before. */
async function pending(before: number): Promise<string> {
  await until('a person is asked', () => asked.length > before);
  return asked[before] ?? '';
}

interface Visit extends Omit<ClaudeGate, 'countersign'> {
  readonly client?: Options;
  /** Of the user, besides ours. */
  readonly hooks?: readonly HookCallback[];
  /** What the model calls. Default: the refund. */
  readonly call?: { readonly name: string; readonly input: string };
  readonly meanwhile?: (id: string, stop: () => void) => Promise<unknown>;
}

const REFUND = {
  name: 'mcp__billing__refund',
  input: '{"payment_id": "pay_1", "amount": 12.5}',
};

/** One conversation in which the model wants to refund: what ran, and what the model was told. */
async function refund({ client, hooks = [], meanwhile, call = REFUND, ...gate }: Visit = {}) {
  const before = asked.length;
  const api = await startMessagesApi([{ id: 'call_1', ...call }]);
  const ran: number[] = [];
  const refundTool = tool(
    'refund',
    'Pays back.',
    { payment_id: z.string(), amount: z.number() },
    async ({ amount }) => {
      ran.push(amount);
      return { content: [{ type: 'text', text: `refunded ${String(amount)}` }] };
    },
  );
  const abortController = new AbortController();
  const gated = gateHooks({ countersign: clientOf(client), ...gate });
  const conversation = query({
    prompt: 'Refund it.',
    options: {
      ...{ abortController, cwd: project, settingSources: ['project'], model: 'claude-sonnet-4-5' },
      mcpServers: { billing: createSdkMcpServer({ name: 'billing', tools: [refundTool] }) },
      allowedTools: ['mcp__billing__refund', 'Skill', 'Bash'],
      hooks: {
        ...gated,
        PreToolUse: [...hooks.map((hook) => ({ hooks: [hook] })), ...gated.PreToolUse],
      },
      env: {
        ...{ PATH: process.env['PATH'], HOME: home },
        ...environmentFor(api, home),
      },
    },
  });
  const talking = (async () => {
    for await (const message of conversation) if (message.type === 'result') return message.subtype;
    return 'no result';
  })().catch(() => 'stopped');
  if (meanwhile)
    await meanwhile(await pending(before), () => {
      abortController.abort();
    });
  const end = await talking;
  const [told] = api.results();
  await api.close();
  return { ran, told, end, id: asked[before] };
}

describe('a tool', () => {
  test('runs with what was approved, also where another hook wants other arguments', async () => {
    const other: HookCallback = async (given) => {
      const { tool_input: input } = given as { tool_input: object };
      const updatedInput = { ...input, amount: 500 };
      return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } };
    };
    const { ran, told, end, id } = await refund({
      hooks: [other],
      meanwhile: async (waiting) => await decide(ada, waiting),
    });
    expect({ ran, end }).toEqual({ ran: [12.5], end: 'success' });
    expect(told).toContain('refunded 12.5');
    const row = await app
      .db('approval_requests')
      .where({ id })
      .first<Record<string, unknown>>('tool', 'server');
    expect(row).toEqual({ tool: 'refund', server: 'billing' });
  });

  test('that a later hook changes is reported to have run differently, and any other with its result', async () => {
    const resultOf = async (id: string | undefined) => {
      const path = `/api/v1/requests/${id ?? ''}`;
      return ((await ada.http.get(path)).body as Record<string, unknown>)['result'];
    };
    const meanwhile = async (id: string) => await decide(ada, id);
    const { id } = await refund({ meanwhile });
    expect(await resultOf(id)).toMatchObject({ outcome: 'succeeded' });
    const before = asked.length;
    const later: HookCallback = async (given) => {
      await until('ours has ended', async () => {
        const row = await app
          .db('approval_requests')
          .where({ id: await pending(before) })
          .first<{ started_at: Date | null }>('started_at');
        return row.started_at !== null;
      });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const { tool_input: input } = given as { tool_input: object };
      const updatedInput = { ...input, amount: 500 };
      return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } };
    };
    const other = await refund({ hooks: [later], meanwhile });
    expect(other.ran).toEqual([500]);
    expect(await resultOf(other.id)).toMatchObject({ outcome: 'ran_differently' });
  });

  test('does not run after a denial, and the model hears the note', async () => {
    const { ran, told, end } = await refund({
      meanwhile: async (id) => await decide(ada, id, { status: 'denied', note: 'Ask me first.' }),
    });
    expect({ ran, end }).toEqual({ ran: [], end: 'success' });
    expect(told).toContain('Ask me first.');
  });

  test('does not run when no one decides in time, and no one is asked any longer', async () => {
    const expired = await refund({ client: { timeout: '1s' } });
    expect(expired).toMatchObject({ ran: [], end: 'success' });
    expect(expired.told).toContain('No one approved this call in time.');
    const late = await refund({ limit: '4s' });
    expect(late).toMatchObject({ ran: [], end: 'success' });
    expect(late.told).toMatch(/did not run|was not executed/);
    await until('it is withdrawn', async () => {
      const open = await app.db('approval_requests').whereIn('state', ['evaluating', 'pending']);
      return open.length === 0;
    });
  });

  test.each([
    ['the address is wrong', { url: 'http://127.0.0.1:9', limit: '1s' }],
    ['the address is that of something else', { url: `${app.url}/login` }],
    ['the token is wrong', { token: 'whc_0000_wrong' }],
  ])('does not run when %s', async (_name, client) => {
    const { ran, told, end } = await refund({ client });
    expect({ ran, end }).toEqual({ ran: [], end: 'success' });
    expect(told).toContain('The approval service did not respond, so this call did not run.');
  });

  test('waits for a service that is killed and started again', async () => {
    const { url, cut, mend } = await startLine(app.url);
    const { ran } = await refund({
      client: { url },
      meanwhile: async (id) => {
        cut();
        await decide(ada, id);
        await mend();
      },
    });
    cut();
    expect(ran).toEqual([12.5]);
  });

  test('does not run in a conversation that was stopped, and its request is withdrawn', async () => {
    const { ran, id } = await refund({
      meanwhile: async (_id, stop) => {
        stop();
      },
    });
    await until('it is withdrawn', async () => (await stateOf(id)) === 'cancelled');
    expect(ran).toEqual([]);
  });

  test('holds the commands in the text of a skill, which are no calls of a tool', async () => {
    const file = join(home, 'ran');
    const skill = join(project, '.claude/skills/probe');
    mkdirSync(skill, { recursive: true });
    writeFileSync(
      join(skill, 'SKILL.md'),
      `---\nname: probe\ndescription: Probes.\nallowed-tools: Bash(touch:*)\n---\nResult: !\`touch ${file}\`\n`,
    );
    const visit = async (status: 'approved' | 'denied') =>
      await refund({
        ...{ call: { name: 'Skill', input: '{"skill": "probe"}' }, exempt: ['Skill'] },
        meanwhile: async (id) => await decide(ada, id, { status }),
      });
    expect((await visit('denied')).end).toBe('success');
    expect(existsSync(file)).toBe(false);
    await visit('approved');
    expect(existsSync(file)).toBe(true);
  });

  test('runs without being asked for where it is left out', async () => {
    const before = asked.length;
    const { ran } = await refund({ exempt: ['mcp__billing__refund'] });
    expect([ran, asked.length]).toEqual([[12.5], before]);
  });
});

describe('the hook', () => {
  const { signal } = new AbortController();
  const given = {
    ...{ hook_event_name: 'PreToolUse', session_id: 'session', tool_use_id: 'call_9' },
    ...{ tool_name: 'Bash', tool_input: { command: 'ls' } },
  };
  const hookOf = (client: Options = {}) => {
    const [hook] = preToolUse({ countersign: clientOf(client), limit: '1m' }).hooks;
    return async (input: unknown) => {
      const { hookSpecificOutput: given } = (await hook?.(input, undefined, { signal })) ?? {};
      return given?.permissionDecision === 'deny' ? given.permissionDecisionReason : given;
    };
  };

  test('uses an approval once, for the arguments it was given for, also after a restart', async () => {
    const waiting = hookOf()(given);
    await decide(ada, await pending(asked.length));
    expect(await waiting).toMatchObject({ updatedInput: given.tool_input });
    expect(await hookOf()(given)).toContain('was started before');
    const changed = { ...given, tool_input: { command: 'rm -r /' } };
    const asking = hookOf()(changed);
    await decide(ada, await pending(asked.length), { status: 'denied' });
    expect(await asking).toContain('denied this call');
  });

  test.each([
    ['nothing', undefined],
    ['no session', { ...given, session_id: undefined }],
    ['no tool', { ...given, tool_name: undefined }],
    ['arguments that are a list', { ...given, tool_input: ['ls'] }],
    ['arguments that are no JSON', { ...given, tool_input: { at: new Date() } }],
  ])('denies what it cannot ask about: %s', async (_name, input) => {
    expect(await hookOf({ url: 'http://127.0.0.1:9', limit: '1s' })(input)).toContain(
      'did not run',
    );
  });

  test.each([
    ['Bash', undefined, [undefined, 'Bash']],
    ['mcp__billing__refund', undefined, ['billing', 'refund']],
    ['mcp__billing__refund__all', undefined, ['billing', 'refund__all']],
    ['mcp__a__b__c', { name: 'a__b' }, ['a__b', 'c']],
    ['mcp__My_server__go', { name: 'My server' }, ['My_server', 'go']],
    ['mcp__odd', undefined, [undefined, 'mcp__odd']],
  ])('names the server of %s', async (name, server, expected) => {
    const seen: unknown[] = [];
    const countersign = {
      ask: async (call: { server?: string; tool: string }) => {
        seen.push(call.server, call.tool);
        throw new Error('enough');
      },
    } as unknown as Countersign;
    const [hook] = preToolUse({ countersign }).hooks;
    await hook?.({ ...given, tool_name: name, mcp_server: server }, undefined, { signal });
    expect(seen).toEqual(expected);
  });

  test('denies before its limit, even where the ask ignores that it is stopped', async () => {
    const stopped: AbortSignal[] = [];
    const countersign = {
      ask: async (_call: unknown, options: { signal: AbortSignal }) => {
        stopped.push(options.signal);
        return await new Promise<never>(() => undefined);
      },
    } as unknown as Countersign;
    const [hook] = preToolUse({ countersign, limit: '1s' }).hooks;
    const { hookSpecificOutput } = (await hook?.(given, undefined, { signal })) ?? {};
    expect(hookSpecificOutput?.permissionDecision).toBe('deny');
    expect(hookSpecificOutput?.permissionDecisionReason).toContain('No one approved this call');
    expect(stopped[0]?.aborted).toBe(true);
  });

  test('is called for every tool, blocks if it fails, and has a limit of its own', () => {
    const { hooks: _hooks, ...matcher } = preToolUse({ countersign: clientOf() });
    expect(matcher).toEqual({ onFailure: 'block', timeout: 960 });
  });
});
