/**
 * The service as its users run it, as a separate process on the benchmark's servers, with a client
 * for each side.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { Agent, request } from 'undici';
import { packageRoot } from '../../src/platform/package-root.ts';

const agent = new Agent({ connections: 4_000, keepAliveTimeout: 120_000 });

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Record<string, unknown>;
}

/** `call` is method and path, for example `GET /api/v1/me`. */
export type Send = (
  call: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Reply>;

/** `credential`: the headers that carry it. */
export function sender(url: string, credential: Readonly<Record<string, string>>): Send {
  return async (call, body, headers = {}) => {
    const [method, path] = call.split(' ');
    const response = await request(`${url}${path ?? ''}`, {
      dispatcher: agent,
      method: method as 'GET',
      headers: {
        ...credential,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    return {
      status: response.statusCode,
      headers: response.headers,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
  };
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export interface BenchService {
  readonly url: string;
  readonly process: ChildProcess;
  readonly dataDirectory: string;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly directory: string;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly port: number;
  /** For example where its messages go. */
  readonly environment: Readonly<Record<string, string>>;
  /** The folder of a built package. This package by default. */
  readonly build?: string;
  /** The Node executable. The one that runs this by default. */
  readonly node?: string;
  /** `start` by default: API and worker in one process. */
  readonly command?: 'start' | 'api' | 'worker';
}

export async function startService(options: ServiceOptions): Promise<BenchService> {
  const { build = packageRoot(), node = process.execPath, command = 'start' } = options;
  const dataDirectory = join(options.directory, 'service');
  const logFile = join(options.directory, `${command}.log`);
  const log = openSync(logFile, 'w');
  const child = spawn(node, [join(build, 'dist/bin/countersign.js'), command], {
    stdio: ['ignore', log, log],
    env: {
      ...process.env,
      PORT: String(options.port),
      COUNTERSIGN_DATA_DIR: dataDirectory,
      DATABASE_URL: options.databaseUrl,
      TEMPORAL_ADDRESS: options.temporalAddress,
      COUNTERSIGN_MAX_PENDING_REQUESTS: '100000',
      COUNTERSIGN_RATE_LIMIT: '0',
      // A create answers what the rules say, however slow the machine is.
      COUNTERSIGN_CREATE_BUDGET: '30s',
      COUNTERSIGN_EDITION: 'hosted',
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
      COUNTERSIGN_EGRESS_ALLOW: '127.0.0.0/8',
      LOG_FORMAT: 'json',
      ...options.environment,
    },
  });
  closeSync(log);
  const url = `http://127.0.0.1:${options.port}`;
  await ready(url, child, logFile);
  return {
    url,
    process: child,
    dataDirectory,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Brings the database of a service to the schema of its build. */
export function migrate({
  build = packageRoot(),
  node = process.execPath,
  databaseUrl,
}: ServiceOptions): void {
  execFileSync(node, [join(build, 'dist/bin/countersign.js'), 'migrate'], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
}

async function ready(url: string, child: ChildProcess, logFile: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null)
      throw new Error(`the service ended:\n${readFileSync(logFile, 'utf8').slice(-1_000)}`);
    const answer = await request(`${url}/health/ready`).catch(() => undefined);
    await answer?.body.dump();
    if (answer?.statusCode === 200) return;
    await delay(200);
  }
  throw new Error('the service was not ready within a minute');
}

export interface Parties {
  /** The first owner, with a personal key. */
  readonly owner: Send;
  /** The same person, through their first session. */
  readonly browser: Send;
  /** An adapter whose agent's rules approve the tool `fast` and send everything else to people. */
  readonly adapter: Send;
  /** The session of the same person, as a header has it. */
  readonly cookie: string;
  readonly organizationId: string;
  /** Of the owner. */
  readonly membershipId: string;
}

/** Adds an agent with these rules. Returns its adapter. */
export async function addAgent(
  owner: Send,
  url: string,
  { slug, pipeline }: { readonly slug: string; readonly pipeline: object },
): Promise<Send> {
  await expectStatus(201, owner('POST /api/v1/agents', { slug, name: slug }));
  const path = `/api/v1/request-approval-pipelines/agents/${slug}/revisions`;
  await expectStatus(201, owner(`POST ${path}`, pipeline));
  await expectStatus(200, owner(`POST ${path}/2/activate`, undefined, { 'if-match': '"1"' }));
  const { body } = await expectStatus(
    201,
    owner(`POST /api/v1/agents/${slug}/instances`, { name: 'one' }),
  );
  return sender(url, bearer((body['credential'] as { token: string }).token));
}

/** Bootstraps the deployment through its API. */
export async function introduce({ url, dataDirectory }: BenchService): Promise<Parties> {
  const secret = readFileSync(join(dataDirectory, 'bootstrap-secret'), 'utf8').trim();
  const anonymous = async (path: string, body: unknown, headers: Record<string, string>) => {
    const response = await request(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return {
      headers: response.headers,
      body: (await response.body.json()) as Record<string, unknown>,
    };
  };
  const person = {
    secret,
    organization_name: 'Bench',
    display_name: 'Owner',
    email: 'owner@example.com',
    password: randomUUID(),
  };
  const { headers, body } = await anonymous('/auth/bootstrap', person, {});
  const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
  const key = await anonymous('/api/v1/me/api_keys', { name: 'bench' }, { cookie, origin: url });
  const owner = sender(url, bearer(String(key.body['token'])));
  const when = { id: 'is-fast', field: '/request/tool', operator: 'equals', value: 'fast' };
  const blocks = [
    {
      id: 'fast',
      name: 'Fast',
      type: 'cel',
      config: { when, on_match: 'approve', reason: 'fast' },
    },
  ];
  const adapter = await addAgent(owner, url, { slug: 'bench-agent', pipeline: { blocks } });
  const { principal } = body as { principal: { organization_id: string; membership_id: string } };
  return {
    owner,
    browser: sender(url, { cookie, origin: url }),
    adapter,
    cookie,
    organizationId: principal.organization_id,
    membershipId: principal.membership_id,
  };
}

export async function stopEmail(db: pg.Client): Promise<void> {
  await db.query(`update notification_channels set enabled = false where kind = 'email'`);
}

export async function expectStatus(status: number, reply: Promise<Reply>): Promise<Reply> {
  const answered = await reply;
  if (answered.status !== status)
    throw new Error(`expected ${status}, got ${answered.status}: ${JSON.stringify(answered.body)}`);
  return answered;
}

/** What every measured request asks for. */
export const TOOL_ARGUMENTS = { payment_id: 'pay_81', amount: 120.5, reason: 'late delivery' };

/** Asks for approval of `tool`. */
export async function send(adapter: Send, tool: 'fast' | 'slow'): Promise<Reply> {
  const body = {
    tool,
    server: 'billing',
    arguments: TOOL_ARGUMENTS,
    timeout: '24h',
  };
  return await adapter('POST /api/aap/v1/requests', body, { 'idempotency-key': randomUUID() });
}

/**
 * The same, and returns the body of the answer that the rules give. An overloaded service answers
 * before them: then it waits.
 */
export async function ask(adapter: Send, tool: 'fast' | 'slow'): Promise<Record<string, unknown>> {
  let { body } = await expectStatus(201, send(adapter, tool));
  const expected = tool === 'fast' ? 'approved' : 'pending';
  if (body['status'] !== expected && expected === 'approved')
    ({ body } = await expectStatus(
      200,
      adapter(`GET /api/aap/v1/requests/${String(body['id'])}?wait=30s`),
    ));
  if (body['status'] !== expected) throw new Error(`expected ${expected}: ${JSON.stringify(body)}`);
  return body;
}

/** Approves, as soon as the rules have handed the request over. */
export async function decide(owner: Send, id: string): Promise<void> {
  const headers = { 'idempotency-key': randomUUID() };
  const call = `POST /api/v1/requests/${id}/decision`;
  for (;;) {
    const answer = await owner(call, { status: 'approved' }, headers);
    const { code } = (answer.body['error'] ?? {}) as { code?: unknown };
    if (code !== 'request_evaluating') {
      await expectStatus(200, Promise.resolve(answer));
      return;
    }
    await delay(20);
  }
}
