/** The state of the service, for its operators. */
import { z } from 'zod';
import {
  MOST_WAITING,
  readSystem,
  type SystemState,
} from '../../src/services/organization/system.ts';
import type { AppContext } from '../../src/services/context.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { timestamp } from '../http/schema.ts';
import { refusalOf, refusalSchema } from '../audit/refusal-schema.ts';
import { presentTroubled, troubledChannels } from '../notifications/channel-state-schema.ts';

const count = (description: string) =>
  z
    .int()
    .min(0)
    .max(MOST_WAITING)
    .meta({ description: `${description} Counting stops at ${MOST_WAITING}.` });
const since = (description: string) =>
  timestamp(`${description} Absent when there is none.`).optional();
const number = (description: string) => z.number().min(0).meta({ description });
const text = (description: string) => z.string().meta({ description });
const part = (description: string, shape: z.ZodRawShape) =>
  z.strictObject(shape).meta({ description });

const systemSchema = z
  .strictObject({
    at: timestamp('When the figures were read, by the clock of the database.'),
    edition: z.enum(['open', 'hosted']).meta({ description: 'The edition of the service.' }),
    rules: z.enum(['workflow', 'door']).meta({
      description: 'Where rules run: `door`, in the call that creates a request, or `workflow`.',
    }),
    checks: z
      .array(
        part('A part of readiness.', {
          name: text('`database`, `migrations`, `temporal` or `audit`.'),
          is_ok: z.boolean().meta({ description: 'Whether it works.' }),
          problem: text('What is wrong. With `is_ok`, it works and lacks this.').optional(),
        }),
      )
      .meta({ description: 'The same as `/health/ready` says.' }),
    versions: part('What runs.', {
      countersign: text('This service.'),
      node: text('Node.js of this process.'),
      postgres: text('The database.'),
      temporal: text('The Temporal server; absent while it does not respond.').optional(),
      migration: text('The last migration of the database.').optional(),
    }),
    worker_seen_at: timestamp(
      'When a worker last asked Temporal for something to do. Absent while Temporal does not respond, and where no worker asked for some minutes.',
    ).optional(),
    clock_ahead_ms: z.int().meta({
      description: 'How far the clock of this process is ahead of the database, in milliseconds.',
    }),
    levels: part('Levels of escalation paths.', {
      late_count: count('Levels of this organization that are due for over 2 seconds.'),
      late_since: since('When the oldest of them was due.'),
      worst_seconds: number(
        'How late this process took a due level at worst in the last hour: `countersign_levels_late_worst_seconds`.',
      ),
    }),
    workflows: part('Workflows of open requests.', {
      silent_count: count(
        'Open requests of this organization whose workflow has not responded, so that the service looks itself.',
      ),
      silent_since: since('When the oldest of them was to be looked at.'),
    }),
    messages: part('Notifications of this organization.', {
      due_count: count('Messages that are due.'),
      due_since: since('When the oldest of them was due.'),
      dead_count: count('Messages that were given up and are not purged yet.'),
    }),
    troubled_channels: troubledChannels(
      'Notification channels of this organization whose messages do not arrive, the oldest trouble first.',
    ),
    temporal_calls: part('Calls of this process to Temporal.', {
      waiting: number('Those that wait: `countersign_temporal_calls_waiting`.'),
      oldest_seconds: number('Since when: `countersign_temporal_calls_oldest_seconds`.'),
    }),
    receivers: part('Decisions for receivers of instances, of the deployment.', {
      waiting: number('Those not accepted yet: `countersign_receiver_events_waiting`.'),
      oldest_seconds: number('Since when: `countersign_receiver_events_oldest_seconds`.'),
    }),
    audit: part('The audit log of this organization.', {
      unsealed_count: count('Events that wait for their place in the chain.'),
      unsealed_since: since('When the oldest of them happened.'),
      refused: refusalSchema.optional(),
    }),
    workflows_url: text(
      'Where the Temporal UI shows the workflow of a request: append its id. Absent without `COUNTERSIGN_TEMPORAL_UI_URL`.',
    ).optional(),
  })
  .meta({ id: 'System', description: 'The state of the service.' });

function present(
  { edition, inlineRules, deployment }: AppContext,
  {
    checks,
    temporal,
    work,
    chain,
    refusal,
    clockAheadMs,
    troubledChannels: troubled,
    process: here,
  }: SystemState,
) {
  return {
    at: work.now,
    edition,
    rules: inlineRules ? ('door' as const) : ('workflow' as const),
    checks: Object.entries(checks).map(([name, { status, message }]) => ({
      name,
      is_ok: status !== 'unavailable',
      problem: message,
    })),
    versions: {
      countersign: deployment.version,
      node: process.versions.node,
      postgres: work.postgres,
      temporal: temporal.version,
      migration: work.lastMigration ?? undefined,
    },
    worker_seen_at: temporal.workerSeenAt,
    clock_ahead_ms: clockAheadMs,
    levels: {
      late_count: work.lateLevels,
      late_since: work.lateSince ?? undefined,
      worst_seconds: here.worstLevelSeconds,
    },
    workflows: {
      silent_count: work.silentWorkflows,
      silent_since: work.silentSince ?? undefined,
    },
    messages: {
      due_count: work.dueMessages,
      due_since: work.dueSince ?? undefined,
      dead_count: work.deadMessages,
    },
    troubled_channels: presentTroubled(troubled),
    temporal_calls: { waiting: here.callsWaiting, oldest_seconds: here.callsOldestSeconds },
    receivers: {
      waiting: here.receiverEventsWaiting,
      oldest_seconds: here.receiverEventsOldestSeconds,
    },
    audit: {
      unsealed_count: chain.unsealed,
      unsealed_since: chain.unsealedSince ?? undefined,
      refused: refusalOf(refusal),
    },
    workflows_url: deployment.workflowsUrl,
  };
}

export const systemEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getSystem',
    method: 'get',
    path: '/api/v1/system',
    tag: 'Organization',
    summary: 'Get the state of the service',
    description:
      'For people who run it. Figures are of the caller’s organization, or of the process that responds and its servers. They say nothing about other organizations. Who may change the settings of the organization may see it.',
    auth: 'member',
    permission: 'organization.settings.write',
    success: {
      status: 200,
      description: 'The state.',
      body: systemSchema,
      example: {
        at: '2026-03-06T16:30:00.000Z',
        edition: 'open',
        rules: 'workflow',
        checks: [
          { name: 'database', is_ok: true },
          { name: 'temporal', is_ok: false, problem: 'Temporal does not respond.' },
        ],
        versions: { countersign: '1.0.0', node: '20.20.2', postgres: '18.1', temporal: '1.32.0' },
        worker_seen_at: '2026-03-06T16:29:42.000Z',
        clock_ahead_ms: 2,
        levels: { late_count: 0, worst_seconds: 0.4 },
        workflows: { silent_count: 0 },
        messages: { due_count: 3, due_since: '2026-03-06T16:29:59.000Z', dead_count: 1 },
        troubled_channels: [
          {
            ...{ kind: 'slack', name: 'Slack', state: 'broken', since: '2026-03-06T16:12:00.000Z' },
            cause: 'token_revoked',
            problem: 'Slack no longer accepts the bot token',
            what_to_do: 'Connect Slack again with the current bot token.',
          },
        ],
        temporal_calls: { waiting: 0, oldest_seconds: 0 },
        receivers: { waiting: 0, oldest_seconds: 0 },
        audit: { unsealed_count: 1, unsealed_since: '2026-03-06T16:29:59.000Z' },
        workflows_url: 'http://127.0.0.1:8233/namespaces/countersign/workflows/approval-request:',
      },
    },
    errors: [],
    handler: async ({ principal }, context) => ({
      body: present(context, await readSystem(context, principal)),
    }),
  }),
];
