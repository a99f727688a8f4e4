/** What the organization uses of its limits now. */
import { z } from 'zod';
import { readUsage } from '../../src/services/organization/usage.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';

const use = (limit: string, used: string) =>
  z.strictObject({
    limit: z.int().meta({ description: limit }),
    used: z.int().meta({ description: used }),
  });

const usageSchema = z
  .strictObject({
    active_agents: use(
      'Most agents that are not archived.',
      'Agents that are not archived, without the demo agent.',
    ).meta({
      description: 'Its agents.',
    }),
    pending_requests: use(
      'Most requests that may wait for people at once.',
      'Requests that wait for people.',
    ).meta({ description: 'What waits for people. Requests that rules decide never count.' }),
    agent_pending_requests: z
      .strictObject({
        limit: z.int().meta({
          description: 'Most requests of one agent that may wait: its share of the cap.',
        }),
        busiest: z
          .strictObject({
            agent_slug: z.string().meta({ description: 'The agent.' }),
            agent_name: z.string().meta({ description: 'Its name.' }),
            used: z.int().meta({ description: 'Its requests that wait for people.' }),
          })
          .optional()
          .meta({
            description:
              'Of the agents for which the caller has `agent.read`: the one with the most requests that wait. Absent while none does.',
          }),
      })
      .meta({ description: 'The share of one agent.' }),
    seats: use('Most people.', 'Members that are not removed, plus pending invitations.').meta({
      description: 'Its seats.',
    }),
    second_factors: z
      .strictObject({
        active_members: z.int().meta({ description: 'Members that are active.' }),
        without: z.int().meta({
          description:
            'Those of them without an authenticator app. An identity provider may still ask them for a second factor.',
        }),
      })
      .meta({ description: 'Who has a second factor here.' }),
  })
  .meta({ id: 'OrganizationUsage', description: 'Current counts and their limits.' });

export const organizationUsageEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getOrganizationUsage',
    method: 'get',
    path: '/api/v1/organization/usage',
    tag: 'Organization',
    summary: 'Get what the organization uses of its limits',
    auth: 'product',
    permission: 'organization.read',
    success: {
      status: 200,
      description: 'The counts.',
      body: usageSchema,
      example: {
        active_agents: { limit: 100, used: 7 },
        pending_requests: { limit: 1000, used: 31 },
        agent_pending_requests: {
          limit: 250,
          busiest: { agent_slug: 'support-bot', agent_name: 'Support bot', used: 24 },
        },
        seats: { limit: 50, used: 12 },
        second_factors: { active_members: 11, without: 3 },
      },
    },
    errors: [],
    handler: async ({ principal }, context) => {
      const usage = await readUsage(context, principal);
      const { busiestAgent: busiest } = usage;
      return {
        body: {
          active_agents: usage.agents,
          pending_requests: { limit: usage.pendingLimit, used: usage.pendingRequests },
          agent_pending_requests: {
            limit: usage.agentPendingLimit,
            ...(busiest && {
              busiest: {
                agent_slug: busiest.slug,
                agent_name: busiest.name,
                used: busiest.waiting,
              },
            }),
          },
          seats: { limit: usage.seats.limit, used: usage.seats.used },
          second_factors: { active_members: usage.activeMembers, without: usage.withoutFactor },
        },
      };
    },
  }),
];
