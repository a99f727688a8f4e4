/** The demo agent. */
import { z } from 'zod';
import { getDemoAgent, startDemoAgent } from '../../src/services/agents/demo-agent.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import {
  instanceWithCredentialExample,
  instanceWithCredentialSchema,
  presentInstanceWithCredential,
} from './agent-instances-schema.ts';
import { agentExample, agentSchema, presentAgent } from './agents-schema.ts';

const PATH = '/api/v1/demo-agent';

const startedSchema = instanceWithCredentialSchema.extend({
  agent: agentSchema.meta({ description: 'The demo agent.' }),
});

const RECENT = 'A session must be recently authenticated.';
const NEEDS = 'Requires `agent.credential.issue`, too, both for the whole organization.';

const demoExample = { ...agentExample, slug: 'demo-agent', name: 'Demo agent', demo: true };

export const demoAgentEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getDemoAgent',
    method: 'get',
    path: PATH,
    tag: 'Agents',
    summary: 'Get the demo agent',
    description: `Empty where the organization has none. ${NEEDS}`,
    auth: 'product',
    permission: 'agent.write',
    success: {
      status: 200,
      description: 'The demo agent, if there is one.',
      body: z.strictObject({
        agent: agentSchema.optional().meta({ description: 'The demo agent.' }),
      }),
      example: { agent: demoExample },
    },
    errors: [],
    handler: async ({ principal }, context) => {
      const agent = await getDemoAgent(context, principal);
      return { body: agent ? { agent: presentAgent(agent) } : {} };
    },
  }),
  defineEndpoint({
    operationId: 'startDemoAgent',
    method: 'post',
    path: PATH,
    tag: 'Agents',
    summary: 'Make or restore the demo agent, and give it a new credential',
    description:
      'An organization has at most one demo agent. It is an agent like others, and has `demo`. An archived one is restored. The credential works for an hour, and the one before is revoked. ' +
      `The web app calls with it, to show how a request is decided. ${RECENT} ${NEEDS}`,
    auth: 'product',
    permission: 'agent.write',
    success: {
      status: 201,
      description: 'The demo agent, with an instance and a credential.',
      body: startedSchema,
      example: {
        agent: demoExample,
        ...instanceWithCredentialExample,
      },
    },
    errors: ['mfa_required', 'reauthentication_required', 'agent_name_taken', 'agent_disabled'],
    handler: async ({ principal }, context) => {
      const { agent, ...issued } = await startDemoAgent(context, principal);
      return { body: { agent: presentAgent(agent), ...presentInstanceWithCredential(issued) } };
    },
  }),
];
