/** Enrollment: a machine asks, a person authorizes, the machine gets its credential. */
import { z } from 'zod';
import type { EnrollmentTarget } from '../../src/domain/agents/agent-enrollments.ts';
import {
  authorizeByUserCode,
  exchangeEnrollmentCode,
  readEnrollment,
  startEnrollment,
} from '../../src/services/agents/agent-enrollments.ts';
import {
  agentInstanceSchema,
  instanceMetadata,
  instanceWithCredentialExample,
  instanceWithCredentialSchema,
  presentAgentInstance,
  presentInstanceWithCredential,
} from './agent-instances-schema.ts';
import { agentExample, agentSchema, presentAgent } from './agents-schema.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import { exactObject, label, uniqueLabel, slug, timestamp } from '../http/schema.ts';

const TAG = 'Agent enrollment';

const startedSchema = z
  .strictObject({
    enrollment_code: z.string().meta({
      description: 'The secret code of the machine, `whe_…`. Keep it there, and show it to no one.',
    }),
    user_code: z.string().meta({
      description:
        'The code that a person types in the browser: three letters, a hyphen, four letters or digits. Small letters are the same. None of 0, O, 1, I and L.',
    }),
    verification_uri: z.url().meta({ description: 'The page where the person types the code.' }),
    expires_at: timestamp('When both codes stop working: ten minutes after the start.'),
  })
  .meta({ id: 'StartedAgentEnrollment', description: 'The two codes of an enrollment.' });

const startEnrollmentEndpoint = defineEndpoint({
  operationId: 'startAgentEnrollment',
  method: 'post',
  path: '/auth/agent_enrollments',
  tag: TAG,
  summary: 'Start an enrollment',
  description:
    'For a machine without a credential. Show `user_code` and `verification_uri` to a person, then ask `POST /auth/agent_enrollments/token` every few seconds. The response is the same whether or not the requested agent exists. One network starts at most ten enrollments a minute. The whole body has at most 16 KiB.',
  auth: 'none',
  bodyLimit: BODY_BYTES.signIn,
  body: z.strictObject({
    runtime: label('What runs the agent, for the person who authorizes it.'),
    requested_agent_slug: slug(
      'The only agent that the person can choose. Without it they choose any, or make a new one.',
    ).optional(),
    instance_name: uniqueLabel('Name of the instance, unique within the agent.'),
    instance_metadata: instanceMetadata.optional(),
  }),
  exact: ['instance_metadata'],
  requestExample: {
    runtime: 'claude-code 2.1',
    requested_agent_slug: 'deploy-bot',
    instance_name: 'ada-laptop',
    instance_metadata: { host: 'ada-laptop' },
  },
  success: {
    status: 201,
    description: 'The codes. They are shown only once; the service stores their hashes.',
    body: startedSchema,
    example: {
      enrollment_code: 'whe_0198f3a2-7e20-7b55-8d3f-6f70819203a4_<secret>',
      user_code: 'KQM-7X2R',
      verification_uri: 'https://countersign.example/enroll',
      expires_at: '2026-03-02T09:40:00.000Z',
    },
  },
  errors: ['rate_limited'],
  handler: async ({ body, client }, context) => {
    const request = {
      runtime: body.runtime,
      requestedAgentSlug: body.requested_agent_slug,
      instanceName: body.instance_name,
      instanceMetadata: body.instance_metadata,
    };
    return {
      body: present(startedSchema, await startEnrollment(context, request, client.address)),
    };
  },
});

const exchangeEnrollmentEndpoint = defineEndpoint({
  operationId: 'exchangeAgentEnrollment',
  method: 'post',
  path: '/auth/agent_enrollments/token',
  tag: TAG,
  summary: 'Exchange an authorized enrollment for a credential',
  description:
    'Ask every few seconds. 404 means not yet authorized, expired, or already exchanged. Keep asking until `expires_at`, then start again. Of several calls at once, one gets the credential. A 403 does not use up the code.',
  auth: 'none',
  bodyLimit: BODY_BYTES.signIn,
  body: z.strictObject({
    enrollment_code: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: 'The code `whe_…` of the start.', format: 'password' }),
  }),
  requestExample: {
    enrollment_code:
      'whe_0198f3a2-7e20-7b55-8d3f-6f70819203a4_cX0tJ0b0ZHk2b1R3c0pXb0VtQ2hSbG9kV3JpdGVz0a1',
  },
  success: {
    status: 200,
    description: 'The instance with its agent and its credential. The token is shown only once.',
    body: instanceWithCredentialSchema.extend({
      agent: agentSchema.meta({ description: 'The agent that the person chose.' }),
    }),
    example: { agent: agentExample, ...instanceWithCredentialExample },
  },
  errors: ['authentication_required', 'agent_disabled', 'instance_disabled', 'not_found'],
  handler: async ({ body }, context) => {
    const { agent, ...enrolled } = await exchangeEnrollmentCode(context, body.enrollment_code);
    return { body: { agent: presentAgent(agent), ...presentInstanceWithCredential(enrolled) } };
  },
});

const enrollmentSchema = z
  .strictObject({
    runtime: z.string().meta({
      description: 'What runs the agent, as the machine says. The service does not check it.',
    }),
    requested_agent_slug: z
      .string()
      .nullable()
      .meta({ description: 'The only agent that can be chosen; null when any can.' }),
    instance_name: z.string().meta({ description: 'Name of the new instance.' }),
    instance_metadata: exactObject('What the machine says about itself, as sent.'),
    status: z
      .enum(['awaiting_authorization', 'authorized'])
      .meta({ description: '`authorized`: the machine can get its credential.' }),
    expires_at: timestamp('When the codes stop working.'),
  })
  .meta({ id: 'AgentEnrollment', description: 'A machine that asks to become an instance.' });

const userCodeParams = z.strictObject({
  user_code: z.string().min(1).max(100).meta({
    description: 'The code that the machine shows. Capitals and the hyphen make no difference.',
  }),
});

const WRONG_CODES =
  'A code that is unknown, expired or used is 404; after five of those in a minute the response is 429.';

const getEnrollmentEndpoint = defineEndpoint({
  operationId: 'getAgentEnrollment',
  method: 'get',
  path: '/api/v1/agent_enrollments/{user_code}',
  tag: TAG,
  summary: 'Find an enrollment by its code',
  description: `What the person sees before they authorize. ${WRONG_CODES}`,
  auth: 'session',
  permission: 'agent.credential.issue',
  permissionAt: () => ({ kind: 'any' }),
  params: userCodeParams,
  success: {
    status: 200,
    description: 'The enrollment.',
    body: enrollmentSchema,
    example: {
      runtime: 'claude-code 2.1',
      requested_agent_slug: 'deploy-bot',
      instance_name: 'ada-laptop',
      instance_metadata: { host: 'ada-laptop' },
      status: 'awaiting_authorization',
      expires_at: '2026-03-02T09:40:00.000Z',
    },
  },
  errors: ['rate_limited'],
  handler: async ({ principal, params }, context) => ({
    body: present(enrollmentSchema, await readEnrollment(context, principal, params.user_code)),
  }),
});

const agentSlug = () => slug('An agent of the organization that is not archived.').optional();
const newAgent = () =>
  z
    .strictObject({
      slug: slug('Identity of the agent, for ever.'),
      name: uniqueLabel('Display name, unique among the live agents of the organization.'),
    })
    .optional()
    .meta({ description: 'A new agent. Needs `agent.write` too.' });

/** Exactly one of the two. */
const targetSchema = z
  .strictObject({ agent_slug: agentSlug(), create_agent: newAgent() })
  .refine((body) => (body.agent_slug === undefined) !== (body.create_agent === undefined), {
    error: 'must have either agent_slug or create_agent',
  })
  .meta({ minProperties: 1, maxProperties: 1 });

function targetOf({ agent_slug, create_agent }: z.output<typeof targetSchema>): EnrollmentTarget {
  if (create_agent) return { kind: 'new_agent', ...create_agent };
  return { kind: 'agent', slug: agent_slug ?? '' };
}

const authorizeEnrollmentEndpoint = defineEndpoint({
  operationId: 'authorizeAgentEnrollment',
  method: 'post',
  path: '/api/v1/agent_enrollments/{user_code}/authorize',
  tag: TAG,
  summary: 'Authorize an enrollment',
  description: `Makes the instance under an agent. The machine then exchanges its code for the credential; until then the instance has none. Name the agent, or create one. The permission must be held for that agent, and the session must be recently authenticated. The authorization ends with the rights of the member who gives it: the code is then not exchanged. ${WRONG_CODES} So is one that was authorized before.`,
  auth: 'session',
  permission: 'agent.credential.issue',
  permissionAt: () => ({ kind: 'any' }),
  params: userCodeParams,
  body: targetSchema,
  requestExample: { agent_slug: 'deploy-bot' },
  success: {
    status: 200,
    description: 'The agent, and its new instance.',
    body: z.strictObject({
      agent: agentSchema.meta({ description: 'The agent.' }),
      agent_instance: agentInstanceSchema.meta({ description: 'The new instance.' }),
    }),
    example: { agent: agentExample, agent_instance: instanceWithCredentialExample.agent_instance },
  },
  errors: [
    'mfa_required',
    'reauthentication_required',
    'enrollment_target_fixed',
    'agent_archived',
    'demo_agent',
    'agent_slug_taken',
    'agent_name_taken',
    'instance_name_taken',
    'quota_exceeded',
    'rate_limited',
  ],
  handler: async ({ principal, params, body }, context) => {
    const { agent, instance } = await authorizeByUserCode(context, principal, {
      userCode: params.user_code,
      target: targetOf(body),
    });
    return { body: { agent: presentAgent(agent), agent_instance: presentAgentInstance(instance) } };
  },
});

export const agentEnrollmentEndpoints: readonly Endpoint[] = [
  startEnrollmentEndpoint,
  exchangeEnrollmentEndpoint,
  getEnrollmentEndpoint,
  authorizeEnrollmentEndpoint,
];
