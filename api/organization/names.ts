/** The names of ids that responses contain. */
import { validate } from 'uuid';
import { z } from 'zod';
import { MOST_NAMED, NAMED_KINDS } from '../../src/domain/organization/names.ts';
import { KEY_PATTERN } from '../../src/domain/keys.ts';
import { listNames } from '../../src/services/organization/names.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { present } from '../http/present.ts';

export const nameSchema = z
  .strictObject({
    id: z.string().meta({ description: 'The id; of an agent, its slug.' }),
    kind: z.enum(NAMED_KINDS).meta({
      description:
        'What it identifies. `member`: a membership. `api_key`: a key of the organization.',
    }),
    display_name: z.string().meta({ description: 'Its name now.' }),
  })
  .meta({ id: 'Name', description: 'The name that belongs to an id.' });

const id = z
  .string()
  .refine((text) => validate(text) || KEY_PATTERN.test(text), {
    error: 'must be a UUID or the slug of an agent',
  })
  .toLowerCase();

const idsQuery = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(id).max(MOST_NAMED, { error: `must have at most ${MOST_NAMED} ids` }))
  .meta({
    description: `1 to ${MOST_NAMED} ids with commas between them: UUIDs and slugs of agents.`,
    override: { type: 'string', minLength: 1 },
  });

export const nameEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'listNames',
    method: 'get',
    path: '/api/v1/names',
    tag: 'Organization',
    summary: 'List the names of ids',
    description:
      'For ids that responses about requests and revisions contain: of members, teams, agents, instances of agents, and keys of the organization. ' +
      'Every member may call it, without a permission. Removed members and archived teams and agents keep their names. ' +
      'Names come in the order of the ids. Ids of nothing, of other organizations and of other kinds are left out.',
    auth: 'member',
    query: z.strictObject({ ids: idsQuery }),
    success: {
      status: 200,
      description: 'The names.',
      body: z.strictObject({
        names: z.array(nameSchema).meta({ description: 'In the order of the ids.' }),
      }),
      example: {
        names: [
          {
            id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70',
            kind: 'member',
            display_name: 'Ada Lovelace',
          },
          { id: 'deploy-bot', kind: 'agent', display_name: 'Deploy bot' },
        ],
      },
    },
    errors: [],
    handler: async ({ principal, query }, context) => {
      const names = await listNames(context, principal, query.ids);
      return { body: { names: names.map((name) => present(nameSchema, name)) } };
    },
  }),
];
