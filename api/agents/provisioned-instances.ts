/** The adapter protocol: a fleet makes its instances. */
import { z } from 'zod';
import { provisionInstance } from '../../src/services/agents/provisioned-instances.ts';
import {
  instanceMetadata,
  instanceWithCredentialExample,
  instanceWithCredentialSchema,
  presentInstanceWithCredential,
  ttlSeconds,
} from './agent-instances-schema.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { uniqueLabel } from '../http/schema.ts';

export const provisionedInstanceEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'provisionAgentInstance',
    method: 'post',
    path: '/api/aap/v1/instances',
    tag: 'Adapter protocol',
    summary: 'Make an instance for a replica',
    description:
      'Makes an instance of the agent that the provisioner token belongs to, with a credential of its own. The body may be empty.\n\n' +
      'The same Idempotency-Key and input returns 200 with the same instance and token for seven days. The service can open its copy of the token only with the provisioner token that the call presents. A credential that was revoked meanwhile stays revoked.',
    auth: 'provisioner',
    headers: { idempotencyKey: 'optional' },
    body: z.strictObject({
      instance_name: uniqueLabel(
        'Name of the instance, unique within the agent. When absent, a name is generated.',
      ).optional(),
      instance_metadata: instanceMetadata.optional(),
      ttl_seconds: ttlSeconds.optional(),
    }),
    bodyOptional: true,
    exact: ['instance_metadata'],
    bodyLimit: BODY_BYTES.metadata,
    requestExample: {
      instance_name: 'runner-1',
      instance_metadata: { host: 'ci-7' },
      ttl_seconds: 86400,
    },
    success: {
      status: [201, 200],
      description: 'The instance and its credential; 200 when the key was used before.',
      body: instanceWithCredentialSchema,
      example: instanceWithCredentialExample,
    },
    errors: ['idempotency_conflict', 'instance_name_taken'],
    handler: async ({ principal, body, idempotencyKey }, context) => {
      const { created, ...made } = await provisionInstance(context, principal, {
        input: {
          name: body.instance_name,
          metadata: body.instance_metadata,
          ttlSeconds: body.ttl_seconds,
        },
        idempotencyKey: idempotencyKey || undefined,
      });
      return { status: created ? 201 : 200, body: presentInstanceWithCredential(made) };
    },
  }),
];
