/**
 * Plays the adapter and the reviewer of approval requests through the API, and the workflow by
 * calling its step.
 */
import { randomUUID } from 'node:crypto';
import { UNREACHABLE_STEP } from '../../../src/domain/escalation/step-keys.ts';
import { stepRequest } from '../../../src/services/engine/step.ts';
import type { TestApp } from '../app.ts';
import type { TestAgent } from './factories.ts';
import { HttpClient, type ApiResponse } from '../http.ts';

export interface Ask {
  readonly tool?: string;
  readonly server?: string;
  readonly arguments?: unknown;
  readonly timeout?: string;
  readonly key?: string;
}

export function adapterOf(
  app: { readonly url: string },
  agent: Pick<TestAgent, 'credential'>,
): HttpClient {
  return new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
}

export async function postRequest(
  app: { readonly url: string },
  agent: Pick<TestAgent, 'credential'>,
  ask: Ask = {},
): Promise<ApiResponse> {
  const { key = randomUUID(), ...body } = ask;
  const headers = { 'idempotency-key': key };
  return await adapterOf(app, agent).post(
    '/api/aap/v1/requests',
    { tool: 'deploy', arguments: {}, timeout: '1h', ...body },
    { headers },
  );
}

/**
 * Without Temporal: a request that the pipeline has not evaluated, and that the reconciler leaves
 * alone.
 */
export async function askUnevaluated(
  app: TestApp,
  agent: Pick<TestAgent, 'credential'>,
  ask: Ask = {},
): Promise<string> {
  return await askAt(await app.urlBeforeRules(), app, agent, ask);
}

/**
 * Without Temporal: a request that went through its pipeline, and was decided or handed to people.
 */
export async function ask(
  app: TestApp,
  agent: Pick<TestAgent, 'credential'>,
  what: Ask = {},
): Promise<string> {
  const id = await askAt(app.url, app, agent, what);
  await stepAt(app, id);
  return id;
}

async function askAt(
  url: string,
  app: TestApp,
  agent: Pick<TestAgent, 'credential'>,
  ask: Ask,
): Promise<string> {
  const created = await postRequest({ url }, agent, ask);
  if (created.status !== 201) throw new Error(`not created: ${created.text}`);
  const id = String(created.body['id']);
  await app.db('approval_requests').where({ id }).update({ wake_at: null });
  return id;
}

/** One step of the workflow, at `floor` or later. */
export async function stepAt(app: TestApp, id: string, floor = new Date(0)): Promise<void> {
  await stepRequest(app.context, id, { floor, by: 'workflow' });
}

export async function deadlineOf(app: TestApp, id: string): Promise<Date> {
  const row = await app
    .db('approval_requests')
    .where({ id })
    .first<{ deadline_at: Date }>('deadline_at');
  return row.deadline_at;
}

/** The row's own clock reaches the deadline, and no writer has noticed. */
export async function reachDeadline(app: TestApp, id: string): Promise<void> {
  await app
    .db('approval_requests')
    .where({ id })
    .update({ last_at: app.db.ref('deadline_at') });
}

/** As if the owners had been told that no one is left to decide, so that a message that fails causes no other one. */
export async function skipToldOwners(app: TestApp, id: string): Promise<void> {
  await app.db('escalation_steps').insert({
    ...{ request_id: id, step_key: UNREACHABLE_STEP, run: 1, kind: 'notified' },
    at: new Date(),
  });
}

export async function decide(
  client: HttpClient,
  id: string,
  body: Readonly<Record<string, unknown>> = { status: 'approved' },
  key: string = randomUUID(),
): Promise<ApiResponse> {
  return await client.post(`/api/v1/requests/${id}/decision`, body, {
    headers: { 'idempotency-key': key },
  });
}
