/** Agent instances: rename, disable and enable. */
import { z } from 'zod';
import { changeAgentInstance } from '../../src/services/agents/agent-instances.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { uniqueLabel, uuid } from '../http/schema.ts';
import {
  agentInstanceSchema,
  instanceWithCredentialExample,
  presentAgentInstance,
} from './agent-instances-schema.ts';

const updateAgentInstanceEndpoint = defineEndpoint({
  operationId: 'updateAgentInstance',
  method: 'patch',
  path: '/api/v1/agent_instances/{id}',
  tag: 'Agent credentials',
  summary: 'Rename, disable or enable an agent instance',
  description:
    'Calls of a disabled instance return 403 `instance_disabled`, and other instances of the agent are not affected. Once this call has ' +
    'returned, the instance gets no further request. Requires the permission for its agent.',
  auth: 'product',
  permission: 'agent.write',
  permissionAt: () => ({ kind: 'any' }),
  params: z.strictObject({ id: uuid('Identity of the instance.') }),
  body: z.strictObject({
    name: uniqueLabel('New name of the instance, unique within its agent.').optional(),
    status: z
      .enum(['active', 'disabled'])
      .optional()
      .meta({ description: '`disabled` stops the instance, `active` lets it call.' }),
  }),
  requestExample: { status: 'disabled' },
  success: {
    status: 200,
    description: 'The instance after the change.',
    body: agentInstanceSchema,
    example: { ...instanceWithCredentialExample.agent_instance, status: 'disabled' },
  },
  errors: ['agent_archived', 'instance_name_taken'],
  handler: async ({ principal, params: { id }, body: { name, status } }, context) => ({
    body: presentAgentInstance(await changeAgentInstance(context, principal, { id, name, status })),
  }),
});

export const agentInstanceEndpoints: readonly Endpoint[] = [updateAgentInstanceEndpoint];
