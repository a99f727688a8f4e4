/** Agents in answers. */
import type { Agent } from '../../src/domain/agents/agents.ts';
import { z } from 'zod';
import { present } from '../http/present.ts';
import { slug, timestamp, uuid } from '../http/schema.ts';

export const agentSchema = z
  .strictObject({
    slug: slug(
      'Identity of the agent. It never changes and is never reused, even after archiving.',
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
    created_at: timestamp('When the agent was created.'),
    updated_at: timestamp('When the agent last changed.'),
    archived_at: timestamp('When the agent was archived; present exactly when it is.').optional(),
  })
  .meta({ id: 'Agent', description: 'An AI agent. It owns one approval pipeline.' });

export const agentExample = {
  slug: 'deploy-bot',
  organization_id: '0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d6e',
  created_by_actor_id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70',
  name: 'Deploy bot',
  status: 'active',
  created_at: '2026-03-02T09:15:00.000Z',
  updated_at: '2026-03-02T09:15:00.000Z',
};

export const presentAgent = (agent: Agent) => present(agentSchema, agent);
