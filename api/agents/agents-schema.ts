/** Agents in responses. */
import type { ListedInstance } from '../../src/domain/agents/agent-instances.ts';
import { APPROVAL_WINDOW, RESUME_MODES, type Agent } from '../../src/domain/agents/agents.ts';
import { formatDuration } from '../../src/domain/durations.ts';
import type { AgentDetail } from '../../src/services/agents/agent-detail.ts';
import type { ListedAgent } from '../../src/services/agents/agents.ts';
import { z } from 'zod';
import {
  agentInstanceSchema,
  agentProvisionerExample,
  agentProvisionerSchema,
  instanceWithCredentialExample,
  presentAgentProvisioner,
} from './agent-instances-schema.ts';
import { present } from '../http/present.ts';
import { duration, slug, timestamp, uuid } from '../http/schema.ts';

export const agentSchema = z
  .strictObject({
    slug: slug(
      'Identity of the agent. It never changes and is never reused, even after archiving or removal.',
    ),
    organization_id: uuid('Organization the agent belongs to.'),
    created_by_actor_id: uuid('Membership or organization key that created the agent.'),
    name: z
      .string()
      .meta({ description: 'Display name, unique among the live agents of the organization.' }),
    status: z.enum(['active', 'disabled', 'archived']).meta({
      description:
        'Only the instances of an active agent can authenticate. An archived agent keeps its slug.',
    }),
    resume: z.enum(RESUME_MODES).meta({
      description:
        'Who may read, wait for, start and withdraw a request: only the `instance` that made it, or any active instance of the `agent`.',
    }),
    approval_window: duration(
      'How long after its decision an approved call may start.',
      APPROVAL_WINDOW,
    ),
    created_at: timestamp('When the agent was created.'),
    updated_at: timestamp('When the agent last changed.'),
    archived_at: timestamp('When the agent was archived; present exactly when it is.').optional(),
    demo: z.literal(true).optional().meta({
      description: 'Present on the demo agent, which `POST /api/v1/demo-agent` makes.',
    }),
  })
  .meta({ id: 'Agent', description: 'An AI agent. It owns one approval pipeline.' });

export const agentExample = {
  slug: 'deploy-bot',
  organization_id: '0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d6e',
  created_by_actor_id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70',
  name: 'Deploy bot',
  status: 'active',
  resume: 'instance',
  approval_window: '5m',
  created_at: '2026-03-02T09:15:00.000Z',
  updated_at: '2026-03-02T09:15:00.000Z',
};

const withWindow = <A extends Agent>(agent: A) => ({
  ...agent,
  approvalWindow: formatDuration(agent.approvalWindow),
});

export const presentAgent = (agent: Agent) => present(agentSchema, withWindow(agent));

const count = (description: string) => z.int().meta({ description });

const recentFields = {
  recent_request_count: count('Requests created on the last seven UTC days: the sum of the trend.'),
  request_trend: z
    .array(z.int())
    .meta({ description: 'Requests created on each of the last seven UTC days, today last.' }),
};

const activityFields = {
  instance_count: count('All instances of the agent.'),
  live_instance_count: count(
    'Active instances with a credential that is neither expired nor revoked.',
  ),
  access_ends_at: timestamp(
    'When the first live instance has no credential left that works. Absent while no instance is live.',
  ).optional(),
  last_seen_at: timestamp(
    'When any instance of the agent last called the service, to the minute. Absent before the first call.',
  ).optional(),
  ...recentFields,
  pending_request_count: count('Requests that still wait.'),
};

export const listedAgentSchema = agentSchema
  .extend(activityFields)
  .meta({ id: 'ListedAgent', description: 'An agent, and what it does.' });

const recentExample = { recent_request_count: 12, request_trend: [0, 0, 3, 1, 0, 6, 2] };

export const listedAgentExample = {
  ...agentExample,
  instance_count: 1,
  live_instance_count: 1,
  access_ends_at: '2026-05-31T09:20:00.000Z',
  last_seen_at: '2026-03-02T09:45:00.000Z',
  ...recentExample,
  pending_request_count: 2,
};

export const presentListedAgent = (agent: ListedAgent) =>
  present(listedAgentSchema, withWindow(agent));

const credentialRecordSchema = z
  .strictObject({
    id: uuid('Identity of the credential. Revoke it with this id.'),
    issued_at: timestamp('When it was issued.'),
    expires_at: timestamp('When it stops working.'),
    last_used_at: timestamp('When it was last used, to the minute. Absent if never.').optional(),
    revoked_at: timestamp('When it was revoked. Absent while it is not.').optional(),
  })
  .meta({ id: 'AgentCredential', description: 'A credential without its secret.' });

const listedInstanceSchema = agentInstanceSchema
  .extend({
    credentials: z
      .array(credentialRecordSchema)
      .meta({ description: 'All credentials of the instance, newest first.' }),
    ...recentFields,
  })
  .meta({ id: 'ListedAgentInstance', description: 'An instance, and what it does.' });

export const agentDetailSchema = listedAgentSchema
  .extend({
    created_by_actor_type: z
      .enum(['human', 'api_key'])
      .meta({ description: 'Whether a member or an organization key created the agent.' }),
    created_by_display_name: z
      .string()
      .meta({ description: 'Name of the member or key that created the agent.' }),
    request_count: count('All requests that the agent ever created.'),
    provisioner_count: count('All provisioner tokens of the agent.'),
    matching_provisioner_count: count('Provisioner tokens that match the filters, on all pages.'),
    matching_instance_count: count('Instances that match the filters, on all pages.'),
    tool_access_revision: z.int().optional().meta({
      description:
        'The number of changes of its tool access, which is the ETag of `/tool-access`. Only in the hosted edition.',
    }),
    instances: z
      .array(listedInstanceSchema)
      .meta({ description: 'A page of instances: last seen, then created, newest first.' }),
    provisioners: z
      .array(agentProvisionerSchema)
      .meta({ description: 'A page of provisioner tokens, last issued first.' }),
  })
  .meta({ id: 'AgentDetail', description: 'An agent with its instances and provisioner tokens.' });

export const agentDetailExample = {
  ...listedAgentExample,
  created_by_actor_type: 'human',
  created_by_display_name: 'Ada Reyes',
  request_count: 340,
  provisioner_count: 1,
  matching_provisioner_count: 1,
  matching_instance_count: 1,
  instances: [
    {
      ...instanceWithCredentialExample.agent_instance,
      last_seen_at: '2026-03-02T09:45:00.000Z',
      credentials: [
        {
          id: instanceWithCredentialExample.credential.id,
          issued_at: '2026-03-02T09:20:00.000Z',
          expires_at: instanceWithCredentialExample.credential.expires_at,
          last_used_at: '2026-03-02T09:45:00.000Z',
        },
      ],
      ...recentExample,
    },
  ],
  provisioners: [agentProvisionerExample],
};

const presentListedInstance = (instance: ListedInstance) =>
  present(listedInstanceSchema, {
    ...instance,
    credentials: instance.credentials.map((each) => present(credentialRecordSchema, each)),
  });

const detailAlone = agentDetailSchema.omit({ instances: true, provisioners: true });

export async function presentAgentDetail({ instances, provisioners, ...agent }: AgentDetail) {
  return {
    ...present(detailAlone, withWindow(agent)),
    instances: await instances.map(presentListedInstance),
    provisioners: provisioners.map(presentAgentProvisioner),
  };
}
