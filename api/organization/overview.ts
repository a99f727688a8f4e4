/** What those who manage an organization look at first. */
import { z } from 'zod';
import { DECIDED_DAYS, ENDING_DAYS, SILENT_DAYS } from '../../src/domain/organization/overview.ts';
import { getOverview } from '../../src/services/organization/overview.ts';
import { apiKeyKind } from '../people/api-keys-schema.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import { slug, timestamp, uuid } from '../http/schema.ts';

const count = (description: string) => z.int().meta({ description });
const agentName = () => z.string().meta({ description: 'Display name of the agent.' });
const agentSlug = () => slug('The agent.');

const waitingFields = {
  count: count('How many requests wait.'),
  oldest_at: timestamp('When the oldest of them was created. Absent while none waits.').optional(),
};
const waitingSchema = z.strictObject(waitingFields);

const teamSchema = z.strictObject({
  team_id: uuid('The team.'),
  team_name: z.string().meta({ description: 'Name of the team now.' }),
  ...waitingFields,
});

const decidedSchema = z.strictObject({
  since: timestamp('The figures are about the decisions since then.'),
  by_people: count('Decisions of people.'),
  by_rules: count('Decisions of rules.'),
  expired: count('Requests that expired.'),
  median_seconds: z.int().optional().meta({
    description:
      'Seconds from when people were asked to their decision: half of the decisions were as fast. Absent without any.',
  }),
  long_seconds: z
    .int()
    .optional()
    .meta({ description: 'The same for 95 % of the decisions. Absent without any.' }),
});

const endingSchema = z.strictObject({
  slug: agentSlug(),
  name: agentName(),
  ends_at: timestamp('When the first of them ends.'),
  instance_count: count('Instances that have no credential left within that time.'),
  provisioner_count: count('Provisioner tokens that end within that time.'),
});

const endingKeySchema = z.strictObject({
  id: uuid('The key.'),
  name: z.string().meta({ description: 'The name given at creation.' }),
  kind: apiKeyKind().meta({
    description: 'Whether the key acts as a member or as the organization.',
  }),
  ends_at: timestamp('When the key expires.'),
  is_own: z.boolean().meta({ description: 'Whether the caller made it for themselves.' }),
});

const silentSchema = z.strictObject({
  slug: agentSlug(),
  name: agentName(),
  last_seen_at: timestamp('When an instance of the agent last called the service.'),
});

const firsts = <Item extends z.ZodType>(item: Item, description: string) =>
  z
    .strictObject({
      count: count('How many agents there are.'),
      agents: z.array(item).meta({ description: 'The first 20 of them.' }),
    })
    .meta({ description });

const overviewSchema = z
  .strictObject({
    waiting: waitingSchema
      .extend({
        teams: z.array(teamSchema).meta({
          description:
            'By team, most first. A request counts for each team of its escalation path.',
        }),
        without_team: waitingSchema.meta({
          description: 'On escalation paths without a team, and without a path.',
        }),
      })
      .meta({ description: 'Requests that wait for people.' }),
    decided: decidedSchema.meta({
      description: `Decisions of the last ${DECIDED_DAYS} days, of the newest 20,000.`,
    }),
    ending: firsts(
      endingSchema,
      `Active agents whose instances or fleets have nothing left to call with within ${ENDING_DAYS} days, the next one first.`,
    ),
    ending_keys: z
      .strictObject({
        count: count('How many keys there are.'),
        keys: z.array(endingKeySchema).meta({ description: 'The first 20 of them.' }),
      })
      .meta({
        description: `API keys that work and end within ${ENDING_DAYS} days, the next one first: with \`api_key.read\` those of the organization, otherwise the caller’s own. Connected apps are not included, because they renew their keys themselves.`,
      }),
    silent: firsts(
      silentSchema,
      `Active agents that called before, and not within ${SILENT_DAYS} days. Who was silent longest comes first.`,
    ),
  })
  .meta({ id: 'Overview', description: 'Figures about an organization, without its demo agent.' });

const example = {
  waiting: {
    count: 4,
    oldest_at: '2026-03-02T09:15:00.000Z',
    teams: [
      {
        team_id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70',
        team_name: 'Refund desk',
        count: 3,
        oldest_at: '2026-03-02T09:15:00.000Z',
      },
    ],
    without_team: { count: 1, oldest_at: '2026-03-02T09:40:00.000Z' },
  },
  decided: {
    since: '2026-02-23T10:00:00.000Z',
    by_people: 212,
    by_rules: 940,
    expired: 3,
    median_seconds: 94,
    long_seconds: 1_260,
  },
  ending: {
    count: 1,
    agents: [
      {
        slug: 'deploy-bot',
        name: 'Deploy bot',
        ends_at: '2026-03-08T09:20:00.000Z',
        instance_count: 2,
        provisioner_count: 0,
      },
    ],
  },
  ending_keys: {
    count: 1,
    keys: [
      {
        id: '0199a3f5-91c0-7a5e-b7d4-6f1e2d3c4b5a',
        name: 'inventory sync',
        kind: 'organization',
        ends_at: '2026-03-10T00:00:00.000Z',
        is_own: false,
      },
    ],
  },
  silent: {
    count: 1,
    agents: [
      { slug: 'support-bot', name: 'Support bot', last_seen_at: '2026-02-20T17:03:00.000Z' },
    ],
  },
};

export const overviewEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getOverview',
    method: 'get',
    path: '/api/v1/overview',
    tag: 'Organization',
    summary: 'Get figures about the organization',
    description:
      'Figures of requests count those that the caller may see, as `GET /api/v1/requests` lists them with the scope `visible`. ' +
      'Figures of agents count those for which the caller has `agent.read`. An API key gets no information about other keys.',
    auth: 'product',
    permission: 'organization.read',
    success: { status: 200, description: 'The figures.', body: overviewSchema, example },
    errors: [],
    handler: async ({ principal }, context) => {
      const { waiting, decided, ending, endingKeys, silent } = await getOverview(
        context,
        principal,
      );
      return {
        body: {
          waiting: {
            ...present(waitingSchema, waiting),
            teams: waiting.teams.map((team) => present(teamSchema, team)),
            without_team: present(waitingSchema, waiting.withoutTeam),
          },
          decided: present(decidedSchema, decided),
          ending: {
            count: ending.count,
            agents: ending.agents.map((agent) => present(endingSchema, agent)),
          },
          ending_keys: {
            count: endingKeys.count,
            keys: endingKeys.keys.map((key) => present(endingKeySchema, key)),
          },
          silent: {
            count: silent.count,
            agents: silent.agents.map((agent) => present(silentSchema, agent)),
          },
        },
      };
    },
  }),
];
