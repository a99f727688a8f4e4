/** An operator's view of a request's workflow, for tests: its handle, its history, its metadata. */
import { randomUUID } from 'node:crypto';
import { isGrpcServiceError, type Client, type WorkflowHandle } from '@temporalio/client';
import { workflowIdOf } from '../../temporal/ids.ts';
import type { TestApp } from './app.ts';
import { until } from './waiting.ts';
import type { TestAgent, TestMember } from './scene/factories.ts';
import { HttpClient } from './http.ts';

const GRPC_NOT_FOUND = 5;

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
export type HistoryEvent = NonNullable<History['events']>[number];

/** The app's own Temporal client. */
export function clientOf(app: TestApp): Client {
  const client = app.temporal.client();
  if (!client) throw new Error('Temporal is not connected: start the app with { temporal: true }');
  return client;
}

/** The latest run of the request's workflow, or the one named. */
export function handleOf(app: TestApp, requestId: string, runId?: string): WorkflowHandle {
  return clientOf(app).workflow.getHandle(workflowIdOf(requestId), runId);
}

export async function eventsOf(
  app: TestApp,
  requestId: string,
  runId?: string,
): Promise<HistoryEvent[]> {
  return (await handleOf(app, requestId, runId).fetchHistory()).events ?? [];
}

/**
 * The one attribute object of an event, by its name: `WorkflowExecutionStarted`, `TimerFired`, …
 */
export function typesOf(events: readonly HistoryEvent[]): string[] {
  return events.map((event) => {
    const [name = 'Unknown'] = Object.entries(event).flatMap(([key, value]) =>
      key.endsWith('EventAttributes') && value ? [key] : [],
    );
    return name.charAt(0).toUpperCase() + name.slice(1, -'EventAttributes'.length);
  });
}

/** Asks for approval as the agent, and returns the request's id. */
export async function ask(
  app: TestApp,
  agent: TestAgent,
  { tool = 'delete_database', timeout = '168h' } = {},
): Promise<string> {
  const adapter = new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
  const headers = { 'idempotency-key': randomUUID() };
  const created = await adapter.post(
    '/api/aap/v1/requests',
    { tool, arguments: {}, timeout },
    { headers },
  );
  if (created.status !== 201) throw new Error(`not created: ${created.text}`);
  return String(created.body['id']);
}

export async function decide(
  member: TestMember,
  requestId: string,
  status: 'approved' | 'denied' = 'approved',
): Promise<void> {
  const headers = { 'idempotency-key': randomUUID() };
  const decided = await member.http.post(
    `/api/v1/requests/${requestId}/decision`,
    { status },
    { headers },
  );
  if (decided.status !== 200) throw new Error(`not decided: ${decided.text}`);
}

export async function cancel(app: TestApp, agent: TestAgent, requestId: string): Promise<void> {
  const adapter = new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
  const cancelled = await adapter.delete(`/api/aap/v1/requests/${requestId}`);
  if (cancelled.status !== 200) throw new Error(`not cancelled: ${cancelled.text}`);
}

export interface MemberNotification {
  readonly stepKey: string;
  readonly membershipId: string;
  readonly at: Date;
}

/** The request's notifications, oldest first. */
export async function notificationsOf(
  app: TestApp,
  requestId: string,
): Promise<MemberNotification[]> {
  return await app
    .db('notifications')
    .where({ request_id: requestId })
    .orderBy([{ column: 'created_at' }, { column: 'id' }])
    .select<MemberNotification[]>({
      stepKey: 'step_key',
      membershipId: 'membership_id',
      at: 'created_at',
    });
}

export interface TimelineEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/** The request's audit events, oldest first. */
export async function timelineOf(app: TestApp, requestId: string): Promise<TimelineEvent[]> {
  const rows = await app
    .db('audit_events')
    .where({ subject_type: 'approval_request', subject_id: requestId })
    .orderBy('sequence')
    .select<{ type: string; data: string; at: Date }[]>({
      type: 'event_type',
      data: 'data',
      at: 'occurred_at',
    });
  return rows.map(({ type, data, at }) => ({
    type,
    data: JSON.parse(data) as TimelineEvent['data'],
    at,
  }));
}

/**
 * Waits until the workflow has started its timer. Then it waits for people. With inline rules the workflow starts after the
 * response.
 */
export async function waiting(app: TestApp, requestId: string): Promise<void> {
  await until('the workflow waits', async () => {
    const events = await eventsOf(app, requestId).catch((error: unknown) => {
      if (isGrpcServiceError(error) && error.code === GRPC_NOT_FOUND) return [];
      throw error;
    });
    return typesOf(events).includes('TimerStarted');
  });
}
