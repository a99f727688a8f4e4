/** The service as a provider of AAP, and a proxy before it that breaks one rule. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { beforeEach, expect, test } from '@jest/globals';
import { HttpClient, type ApiResponse, type Json } from '../../../support/http.ts';
import { REVIEWER, scene } from '../../../support/scene.ts';
import { createInstance, createProvisioner } from '../../../support/scene/factories.ts';
import type { AapReceiver, ReceivedMessage } from '../../../support/servers/aap-receiver.ts';
import { tellDue, TELLING } from '../../../services/receivers/told.ts';

export type Mount = '/aap' | '/api/aap';

export interface Provider {
  readonly mount: Mount;
  /** Sends `body` as it is when it is text. A key is sent where one is given. */
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<ApiResponse>;
  readonly decide: (id: string, status: 'approved' | 'denied') => Promise<void>;
  /** An instance whose requests are decided at their creation. */
  readonly freeInstanceId: string;
  /** The verifications that came to a path of the receiver. */
  readonly asked: (path: string) => Messages;
  /** Sends the events that are due after some seconds, and returns all that came to a path. */
  readonly told: (path: string, seconds?: number) => Promise<Messages>;
}

export type Messages = readonly ReceivedMessage[];

export interface CallOptions {
  /** Default: the instance for requests, the provisioner for instances. Null sends none. */
  readonly as?: keyof Stage['tokens'] | { readonly token: string } | null;
  readonly key?: string;
  readonly body?: unknown;
  readonly requestId?: string;
}

/** A response before the proxy sends it. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

export interface Line {
  readonly line: number;
  readonly must: string;
  /** Where the line is about what our own mount does otherwise. */
  readonly only?: '/aap';
  readonly check: (provider: Provider) => Promise<void>;
  readonly broken: BrokenReplies | BrokenMessages;
}

/** Breaks the rule in the responses to `method`. */
export interface BrokenReplies {
  readonly method: string;
  readonly spoil: (reply: Reply) => void;
}

/** Breaks it in what comes to the receiver. */
export interface BrokenMessages {
  readonly send: (messages: Messages) => Messages;
}

export const CALL = { tool: 'issue_refund', arguments: { amount: 4900 }, timeout: '1h' };

type Stage = Awaited<ReturnType<typeof openStage>>;

/** For one file: modules outlive the files that import them. */
async function openStage(receiver: AapReceiver | undefined) {
  const { app, organization, agents, people, decide } = await scene({
    app: { rules: 'door', environment: TELLING },
    people: { ada: REVIEWER },
    paths: { 'on-call': [['ada']] },
    pipelines: {
      bot: 'on-call',
      free: {
        blocks: [
          {
            id: 'yes',
            name: 'Yes',
            type: 'always',
            config: { outcome: 'approve', reason: 'Yes.' },
          },
        ],
      },
    },
  });
  const { slug, credential } = agents.bot;
  const tokens = {
    instance: credential,
    other: (await createInstance(app, organization, slug)).credential,
    free: agents.free.credential,
    provisioner: (await createProvisioner(app, organization, slug)).token,
    freeProvisioner: (await createProvisioner(app, organization, agents.free.slug)).token,
  };
  // Lines together verify more receivers than one fleet may in a minute.
  beforeEach(async () => {
    await app.db('sign_in_attempts').delete();
  });
  const approve = async (id: string, status: 'approved' | 'denied'): Promise<void> => {
    expect((await decide(people.ada, id, { status })).status).toBe(200);
  };
  return { app, tokens, receiver, decide: approve, freeInstanceId: agents.free.instanceId };
}

async function tellAfter({ app }: Stage, seconds: number): Promise<void> {
  await app
    .db('receiver_events')
    .whereNotNull('next_attempt_at')
    .update({
      next_attempt_at: app.db.raw(`next_attempt_at - ? * interval '1 second'`, [seconds]),
    });
  await tellDue(app);
}

interface Place {
  readonly url: string;
  readonly mount: Mount;
  readonly send?: BrokenMessages['send'];
}

function providerAt(stage: Stage, { url, mount, send = (messages) => messages }: Place): Provider {
  const { tokens, receiver, decide, freeInstanceId } = stage;
  const at = (path: string, messages: Messages = []) =>
    send(messages.filter((message) => message.path === path));
  return {
    mount,
    call: async (method, path, { as, key, body, requestId } = {}) => {
      const usual = path.startsWith('/v1/instances') ? 'provisioner' : 'instance';
      const who = as === undefined ? usual : as;
      const token = typeof who === 'object' ? who?.token : tokens[who];
      const headers = {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(requestId !== undefined && { 'x-request-id': requestId }),
      };
      return await new HttpClient(url).call(method, `${mount}${path}`, { headers, body });
    },
    decide,
    freeInstanceId,
    asked: (path) => at(path, receiver?.verifications),
    told: async (path, seconds = 0) => {
      await tellAfter(stage, seconds);
      return at(path, receiver?.events);
    },
  };
}

/** Passes calls on, and spoils the responses to one method. */
async function startProxy({ app }: Stage, { method, spoil }: BrokenReplies) {
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization, 'idempotency-key': key, 'x-request-id': id } = request.headers;
    const type = request.headers['content-type'];
    const sent = await buffer(request);
    const passed = await fetch(`${app.url}${request.url ?? ''}`, {
      method: request.method ?? '',
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(typeof key === 'string' && { 'idempotency-key': key }),
        ...(typeof id === 'string' && { 'x-request-id': id }),
        ...(type !== undefined && { 'content-type': type }),
      },
      ...(sent.length > 0 && { body: sent }),
    });
    const text = await passed.text();
    const requestId = passed.headers.get('x-request-id') ?? '';
    const reply: Reply = {
      status: passed.status,
      headers: { 'x-request-id': requestId, 'content-type': 'application/json' },
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
    if (request.method === method) spoil(reply);
    response.writeHead(reply.status, reply.headers);
    response.end(reply.status === 204 ? undefined : JSON.stringify(reply.body));
  };
  const server = createServer((request, response) => {
    pass(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` };
}

/** Each line at its mounts, and at a provider that breaks it. */
export async function describeLines(lines: readonly Line[], receiver?: AapReceiver): Promise<void> {
  const stage = await openStage(receiver);
  const { url: ours } = stage.app;
  const atMounts = lines.flatMap((line) =>
    (['/aap', '/api/aap'] as const)
      .filter((mount) => line.only === undefined || line.only === mount)
      .map((mount) => ({ ...line, mount })),
  );
  test.each(atMounts)('$line. $must ($mount)', async ({ check, mount }) => {
    await check(providerAt(stage, { url: ours, mount }));
  });
  test.each(lines)('$line. fails at a provider that breaks it', async ({ check, broken }) => {
    if ('send' in broken) {
      const place = { url: ours, mount: '/aap', send: broken.send } as const;
      await expect(check(providerAt(stage, place))).rejects.toThrow();
      return;
    }
    const { server, url } = await startProxy(stage, broken);
    try {
      await expect(check(providerAt(stage, { url, mount: '/aap' }))).rejects.toThrow();
    } finally {
      server.close();
    }
  });
}

/** A new request, pending. */
export async function ask(
  { call }: Provider,
  { body = CALL, key = randomUUID(), as }: Pick<CallOptions, 'body' | 'key' | 'as'> = {},
): Promise<ApiResponse> {
  return await call('POST', '/v1/requests', { body, key, ...(as !== undefined && { as }) });
}

export const idOf = ({ body }: ApiResponse): string => String(body['id']);
export const codeOf = ({ status, body }: ApiResponse): unknown[] => [
  status,
  body['error']?.['code'],
];
export const decisionOf = ({ body }: ApiResponse): Json => body['decision'] as unknown as Json;
export const timeOf = (text: unknown): number => Date.parse(String(text));
