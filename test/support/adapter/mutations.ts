/** Ways to break the rules of an adapter's responses, one at a time. */
import { randomUUID } from 'node:crypto';
import { requestOf, type Adapter } from '../adapter.ts';
import type { BrokenServerOptions } from '../servers/broken-server.ts';
import type { AdapterRule } from './rules.ts';
import { full, plain, wait, type Scenario } from './scenarios.ts';
import {
  at,
  text,
  json,
  swap,
  header,
  decision,
  error,
  shift,
  failure,
  type Spoil,
} from './spoils.ts';

/** One way to break one rule, identified by `broken`. Without a scenario the whole tour runs. */
export interface Mutation {
  readonly rule: AdapterRule;
  readonly broken: string;
  readonly spoil?: Spoil;
  readonly server?: BrokenServerOptions;
  readonly scenario?: Scenario;
  readonly marginMs?: number;
}

export const mutations: readonly Mutation[] = [
  {
    rule: 'status',
    broken: 'a create returns 202',
    spoil: at('create 201', () => ({ status: 202 })),
  },
  {
    rule: 'status',
    broken: 'a create returns 500',
    spoil: at('create 400', () => ({ status: 500 })),
  },
  { rule: 'status', broken: 'a read redirects', spoil: at('get 200', () => ({ status: 302 })) },
  {
    rule: 'status',
    broken: 'a cancel returns 204',
    spoil: at('cancel 200', () => ({ status: 204, body: '' })),
  },
  {
    rule: 'content-type',
    broken: 'a page of HTML',
    spoil: header('get 200', 'Content-Type', 'text/html'),
  },
  {
    rule: 'content-type',
    broken: 'an error without a type',
    spoil: header('get 404', 'Content-Type', undefined),
  },
  {
    rule: 'body-size',
    broken: '8 MiB and a byte',
    spoil: text('get 200', (body) => body.padEnd(8 * 1024 * 1024 + 1)),
  },
  {
    rule: 'body-utf8',
    broken: 'a Latin-1 byte',
    spoil: at('get 200', ({ body }) => ({
      body: Buffer.from(body.toString().replace('hold', 'h\u00f6ld'), 'latin1'),
    })),
  },
  {
    rule: 'body-utf8',
    broken: 'a byte order mark',
    spoil: text('create 201', (body) => `\ufeff${body}`),
  },
  { rule: 'body-json', broken: 'a second document', spoil: text('get 200', (body) => `${body}{}`) },
  {
    rule: 'body-json',
    broken: 'a truncated body',
    spoil: text('get 200', (body) => body.slice(0, -1)),
  },
  { rule: 'body-json', broken: 'a list', spoil: text('get 200', (body) => `[${body}]`) },
  {
    rule: 'duplicate-key',
    broken: 'two tools',
    spoil: swap('create 201', '{"tool"', '{"tool":"x","tool"'),
  },
  {
    rule: 'duplicate-key',
    broken: 'an escaped twin',
    spoil: swap('create 201', '{"z":', String.raw`{"\u007a":1,"z":`),
  },
  {
    rule: 'nesting',
    broken: 'level 101',
    spoil: swap(
      'create 201',
      '"arguments":{',
      `"arguments":{"deep":${'['.repeat(100)}${']'.repeat(100)},`,
    ),
  },
  {
    rule: 'request-id-missing',
    broken: 'a success without it',
    spoil: header('create 201', 'X-Request-ID', undefined),
  },
  {
    rule: 'request-id-missing',
    broken: 'an unknown route without it',
    spoil: header('unknown 404', 'X-Request-ID', undefined),
  },
  {
    rule: 'request-id-echo',
    broken: 'an invented id',
    spoil: header('create 201', 'X-Request-ID', randomUUID()),
  },
  {
    rule: 'request-id-echo',
    broken: 'an invented id that is not a UUID',
    spoil: header('get 200', 'X-Request-ID', 'req-17'),
  },
  {
    rule: 'shape',
    broken: 'a bare message',
    spoil: json('get 404', () => ({ message: 'no' })),
  },
  {
    rule: 'shape',
    broken: 'a null',
    spoil: error('get 404', (body) => (body['details'] = null)),
  },
  {
    rule: 'shape',
    broken: 'another key',
    spoil: error('get 404', (body) => (body['status'] = '404')),
  },
  {
    rule: 'shape',
    broken: 'no message',
    spoil: error('get 404', (body) => delete body['message']),
  },
  {
    rule: 'error-type',
    broken: 'the wrong category',
    spoil: error('get 404', (body) => (body['type'] = 'invalid_request')),
  },
  {
    rule: 'shape',
    broken: 'a code with a dash',
    spoil: error('unknown 404', (body) => (body['code'] = 'not-found')),
  },
  {
    rule: 'error-code',
    broken: 'an undocumented conflict',
    spoil: error('create 409', (body) => (body['code'] = 'already_terminal')),
  },
  {
    rule: 'error-request-id',
    broken: 'another id in the body',
    spoil: error('get 404', (body) => (body['request_id'] = randomUUID())),
  },
  {
    rule: 'error-issues',
    broken: 'no list of issues',
    spoil: error('create 400', (body) => delete body['details']),
  },
  {
    rule: 'error-issues',
    broken: 'an issue without a pointer',
    spoil: swap('create 400', '"pointer"', '"path"'),
  },
  {
    rule: 'retry-after',
    broken: '429 without it',
    spoil: header('create 429', 'Retry-After', undefined),
  },
  { rule: 'retry-after', broken: 'a fraction', spoil: header('create 503', 'Retry-After', '0.5') },
  {
    rule: 'retry-after',
    broken: 'a date',
    spoil: header('create 503', 'Retry-After', 'Wed, 21 Oct 2026 07:28:00 GMT'),
  },
  {
    rule: 'credential-leak',
    broken: 'the credential in a message',
    spoil: at('get 404', (reply, call) => ({
      body: reply.body
        .toString()
        .replace('Not this time.', call.headers.authorization?.slice(7) ?? ''),
    })),
  },
  {
    rule: 'shape',
    broken: 'the organization',
    spoil: json('get 200', (body) => ({ ...body, organization_id: randomUUID() })),
  },
  {
    rule: 'shape',
    broken: 'no deadline',
    spoil: json('get 200', ({ deadline_at: _, ...body }) => body),
  },
  {
    rule: 'shape',
    broken: 'no arguments',
    spoil: json('get 200', ({ arguments: _, ...body }) => body),
  },
  {
    rule: 'shape',
    broken: 'a null decision',
    spoil: json('create 201', (body) => ({ ...body, decision: null })),
  },
  {
    rule: 'shape',
    broken: 'a null note',
    spoil: decision('create 201', (it) => (it['note'] = null)),
  },
  {
    rule: 'shape',
    broken: 'arguments as a string',
    spoil: json('get 200', (body) => ({ ...body, arguments: '{}' })),
  },
  {
    rule: 'shape',
    broken: 'a numeric time',
    spoil: decision('create 201', (it) => (it['decided_at'] = 1_700_000_000)),
  },
  {
    rule: 'shape',
    broken: 'a serial number',
    spoil: json('create 201', (body) => ({ ...body, id: '17' })),
  },
  {
    rule: 'shape',
    broken: 'an inner state',
    spoil: json('get 200', (body) => ({ ...body, status: 'evaluating' })),
  },
  {
    rule: 'time-format',
    broken: 'no milliseconds',
    spoil: text('get 200', (body) => body.replace(/\.[0-9]{3}Z/, 'Z')),
  },
  {
    rule: 'time-format',
    broken: 'an offset',
    spoil: text('get 200', (body) => body.replace(/(\.[0-9]{3})Z/, '$1+00:00')),
  },
  {
    rule: 'shape',
    broken: 'a day that does not exist',
    spoil: text('get 200', (body) => body.replace(/-[0-9]{2}T/, '-32T')),
  },
  {
    rule: 'deadline-at',
    broken: 'a shortened window',
    spoil: json('get 200', (body) => ({ ...body, deadline_at: shift(body['deadline_at'], -1) })),
  },
  {
    rule: 'decision-presence',
    broken: 'approved without one',
    spoil: json('create 201', ({ decision: _, ...body }) => body),
  },
  {
    rule: 'decision-presence',
    broken: 'pending with one',
    spoil: json('create 201', (body) => ({
      ...body,
      decision: { status: 'denied', decided_at: body['created_at'] },
    })),
  },
  {
    rule: 'decision-status',
    broken: 'two outcomes at once',
    spoil: decision('create 201', (it) => (it['status'] = 'denied')),
  },
  {
    rule: 'shape',
    broken: 'a channel',
    spoil: decision('create 201', (it) => (it['channel'] = 'web')),
  },
  {
    rule: 'shape',
    broken: 'no instant',
    spoil: decision('create 201', (it) => delete it['decided_at']),
  },
  {
    rule: 'expires-at-presence',
    broken: 'an approval without it',
    spoil: decision('create 201', (it) => delete it['expires_at']),
  },
  {
    rule: 'expires-at-presence',
    broken: 'a cancellation with it',
    spoil: decision('cancel 200', (it) => (it['expires_at'] = shift(it['decided_at'], 300_000))),
  },
  {
    rule: 'expires-at-window',
    broken: 'six minutes',
    spoil: decision('create 201', (it) => (it['expires_at'] = shift(it['decided_at'], 360_000))),
  },
  {
    rule: 'decided-before-created',
    broken: 'a millisecond too early',
    spoil: decision('cancel 200', (it, body) => (it['decided_at'] = shift(body['created_at'], -1))),
  },
  {
    rule: 'decided-after-deadline',
    broken: 'a cancellation at the deadline',
    spoil: decision('cancel 200', (it, body) => (it['decided_at'] = body['deadline_at'])),
  },
  {
    rule: 'expired-early',
    broken: 'a millisecond before the deadline',
    spoil: decision(
      'create 201',
      (it, body) =>
        it['status'] === 'expired' && (it['decided_at'] = shift(body['deadline_at'], -1)),
    ),
  },
  {
    rule: 'pending-after-deadline',
    broken: 'pending seconds after the deadline',
    spoil: json('get 200', ({ decision: it, ...body }) =>
      body['status'] === 'expired'
        ? { ...body, status: 'pending' }
        : { ...body, ...(it && { decision: it }) },
    ),
  },
  {
    rule: 'bad-body-accepted',
    broken: 'a duplicate key is accepted',
    spoil: at('create 400', () => ({
      status: 201,
      body: JSON.stringify({
        id: randomUUID(),
        tool: 'hold',
        arguments: {},
        timeout: '1s',
        status: 'pending',
        created_at: '2026-01-01T00:00:00.000Z',
        deadline_at: '2026-01-01T00:00:01.000Z',
      }),
    })),
  },
  {
    rule: 'echo-tool',
    broken: 'a joined name',
    spoil: swap('create 201', '"hold"', '"payments__hold"'),
  },
  {
    rule: 'echo-server',
    broken: 'the server is lost',
    spoil: swap('create 201', '"server":"payments",', ''),
  },
  {
    rule: 'echo-server',
    broken: 'a server that was not sent',
    spoil: swap('create 201', '"deny"', '"deny","server":""'),
  },
  {
    rule: 'echo-timeout',
    broken: 'another spelling of the same time',
    spoil: swap('create 201', '"timeout":"30m"', '"timeout":"1800s"'),
  },
  {
    rule: 'echo-arguments',
    broken: 'a lost digit',
    spoil: swap('create 201', '9007199254740993', '9007199254740992'),
  },
  { rule: 'echo-arguments', broken: '1.0 becomes 1', spoil: swap('create 201', '1.0,', '1,') },
  {
    rule: 'echo-arguments',
    broken: 'another order',
    spoil: text('create 201', (body) =>
      body.replace(/("z":[0-9]+),(.*),("amount":1.50)/, '$3,$2,$1'),
    ),
  },
  {
    rule: 'echo-arguments',
    broken: 'another value on a replay',
    spoil: swap('create 200', '1.50', '1.51'),
  },
  {
    rule: 'echo-context',
    broken: 'a respelled number',
    spoil: swap('create 201', '{"call":7.0}', '{"call":7}'),
  },
  {
    rule: 'echo-context',
    broken: 'an empty context that was not sent',
    spoil: swap('create 201', '"deny"', '"deny","context":{}'),
  },
  {
    rule: 'echo-agent-reasoning',
    broken: 'an unescaped letter',
    spoil: swap('create 201', String.raw`\u0074`, 't'),
  },
  {
    rule: 'other-id',
    broken: 'a read of another request',
    spoil: json('get 200', (body) => ({ ...body, id: randomUUID() })),
  },
  {
    rule: 'other-id',
    broken: 'a cancel of another request',
    spoil: json('cancel 200', (body) => ({ ...body, id: randomUUID() })),
  },
  {
    rule: 'request-lost',
    broken: 'an unknown id that was known',
    spoil: at('get 200', (reply) => failure(reply, 404, 'not_found')),
  },
  {
    rule: 'field-changed',
    broken: 'a later creation',
    spoil: json('create 200', (body) => ({
      ...body,
      created_at: shift(body['created_at'], 1),
      deadline_at: shift(body['deadline_at'], 1),
    })),
    scenario: async (adapter) => {
      const idempotencyKey = randomUUID();
      await adapter.create(plain('hold'), { idempotencyKey });
      await adapter.create(plain('hold'), { idempotencyKey });
    },
  },
  {
    rule: 'terminal-changed',
    broken: 'a reworded note',
    spoil: text('create 200', (body) => body.replace('Because.', 'Because!')),
  },
  {
    rule: 'terminal-changed',
    broken: 'a cancelled request is pending again',
    spoil: json('create 200', ({ decision: _, ...body }) => ({ ...body, status: 'pending' })),
    scenario: async (adapter) => {
      const idempotencyKey = randomUUID();
      await adapter.cancel(requestOf(await adapter.create(plain('hold'), { idempotencyKey })).id);
      await adapter.create(plain('hold'), { idempotencyKey });
    },
  },
  { rule: 'replay-id', broken: 'a replay makes a second request', server: { deleteKeys: true } },
  {
    rule: 'replay-status',
    broken: 'a replay returns 201',
    spoil: at('create 200', () => ({ status: 201 })),
    scenario: replay,
  },
  {
    rule: 'replay-status',
    broken: 'a first response is 200',
    spoil: at('create 201', () => ({ status: 200 })),
  },
  {
    rule: 'conflict-same-input',
    broken: 'white space is a conflict',
    spoil: at('create 200', (reply) => failure(reply, 409, 'idempotency_conflict')),
  },
  {
    rule: 'cancel-outcome',
    broken: 'a cancel that changes nothing',
    spoil: json('cancel 200', ({ decision: _, ...body }) => ({ ...body, status: 'pending' })),
  },
  {
    rule: 'cancel-outcome',
    broken: 'a second cancel is a conflict',
    spoil: at('cancel 200', (reply, call) =>
      call.index === 2 ? failure(reply, 409, 'already_terminal') : {},
    ),
    scenario: async (adapter) => {
      const { id } = requestOf(await adapter.create(plain('hold')));
      await adapter.cancel(id);
      await adapter.cancel(id);
    },
  },
  {
    rule: 'wait-early',
    broken: 'a wait cut short',
    server: { longestWaitMs: 100 },
    scenario: wait,
  },
  {
    rule: 'late',
    broken: 'a late response',
    spoil: at('create 201', () => ({ delayMs: 700 })),
    marginMs: 300,
  },
];

async function replay(adapter: Adapter): Promise<void> {
  const idempotencyKey = randomUUID();
  await adapter.create(full(), { idempotencyKey });
  await adapter.create(full(), { idempotencyKey });
}
