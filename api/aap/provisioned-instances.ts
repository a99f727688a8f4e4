/** The adapter protocol: a fleet makes, renames and deletes its instances. */
import { z } from 'zod';
import type { ErrorCode } from '../../src/domain/errors.ts';
import {
  changeProvisionedInstance,
  deleteProvisionedInstance,
  getProvisionedInstance,
  provisionInstance,
  type Provisioned,
  type ProvisionedChange,
  type ProvisionInput,
  type ProvisionedInstance,
} from '../../src/services/agents/provisioned-instances.ts';
import {
  agentInstanceSchema,
  instanceMetadata,
  instanceWithCredentialExample,
  instanceWithCredentialSchema,
  presentAgentInstance,
  presentInstanceWithCredential,
  ttlSeconds,
} from '../agents/agent-instances-schema.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint, type HeaderNeeds } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import { timestamp, uniqueLabel, uuid } from '../http/schema.ts';
import { delivery, presentDelivery, shownDelivery } from './delivery-schema.ts';
import { onBothMounts, type Mount, type MountName } from './mounts.ts';

const params = z.strictObject({ id: uuid('Identity of the instance.') });

const instanceName = uniqueLabel(
  'Name of the instance, unique within the agent. When absent, a name is generated.',
).optional();

const newName = uniqueLabel('New name of the instance, unique within the agent.');

const standardInstance = z
  .strictObject({
    id: uuid('Identity of the instance.'),
    name: z.string().meta({ description: 'Name of the instance, unique within its agent.' }),
    delivery: shownDelivery.optional(),
  })
  .meta({ id: 'AapInstance', description: 'An instance, as AAP 1.0.0 writes it.' });

const standardCredential = z
  .strictObject({
    token: z.string().meta({
      description: 'The secret bearer token. Shown only in this response and its replay.',
    }),
    expires_at: timestamp('When the token stops working.'),
  })
  .meta({ id: 'AapCredential', description: 'The credential of an instance, with its secret.' });

const standardInstanceExample = {
  id: '0198f3a2-6c00-7d11-a0b1-3c4d5e6f7081',
  name: 'runner-1',
};

const presentStandard = (instance: ProvisionedInstance): z.input<typeof standardInstance> =>
  present(standardInstance, {
    ...instance,
    delivery: instance.delivery && presentDelivery(instance.delivery),
  });

interface Variant {
  readonly instance: z.ZodType;
  readonly instanceExample: unknown;
  readonly presentInstance: (instance: ProvisionedInstance) => unknown;
  readonly description: string;
  readonly idempotencyKey: NonNullable<HeaderNeeds['idempotencyKey']>;
  readonly body: z.ZodType<ProvisionInput>;
  readonly change: z.ZodType<ProvisionedChange['input']>;
  readonly deliveryErrors: readonly ErrorCode[];
  readonly extras: Pick<Endpoint, 'bodyOptional' | 'exact' | 'bodyLimit'>;
  readonly requestExample: unknown;
  readonly created: z.ZodType;
  readonly example: unknown;
  readonly present: (made: Provisioned) => unknown;
}

/** What the mounts read and return: ours has metadata and a lifetime, and the body may be absent. */
const variants: Readonly<Record<MountName, Variant>> = {
  ours: {
    instance: agentInstanceSchema,
    instanceExample: instanceWithCredentialExample.agent_instance,
    presentInstance: presentAgentInstance,
    description:
      'Makes an instance of the agent that the provisioner token belongs to, with its own credential. The body may be empty.',
    idempotencyKey: 'optional',
    body: z.strictObject({
      instance_name: instanceName,
      instance_metadata: instanceMetadata.optional(),
      ttl_seconds: ttlSeconds.optional(),
    }),
    change: z.strictObject({ instance_name: newName }),
    deliveryErrors: [],
    extras: { bodyOptional: true, exact: ['instance_metadata'], bodyLimit: BODY_BYTES.metadata },
    requestExample: {
      instance_name: 'runner-1',
      instance_metadata: { host: 'ci-7' },
      ttl_seconds: 86400,
    },
    created: instanceWithCredentialSchema,
    example: instanceWithCredentialExample,
    present: presentInstanceWithCredential,
  },
  standard: {
    instance: standardInstance,
    instanceExample: standardInstanceExample,
    presentInstance: presentStandard,
    description:
      'Makes an instance of the agent that the provisioner token belongs to, with its own credential.',
    idempotencyKey: 'required',
    body: z.strictObject({ instance_name: instanceName, delivery: delivery.optional() }),
    change: z
      .strictObject({
        instance_name: newName.optional(),
        delivery: delivery
          .nullable()
          .optional()
          .meta({ description: 'As at creation. `null` removes the receiver.' }),
      })
      .refine((body) => body.instance_name !== undefined || body.delivery !== undefined, {
        error: 'must have instance_name, delivery or both',
      }),
    deliveryErrors: [
      'unsupported_delivery_type',
      'invalid_webhook_url',
      'webhook_verification_failed',
      'secrets_key_missing',
    ],
    extras: {},
    requestExample: { instance_name: 'runner-1' },
    created: z.strictObject({
      instance: standardInstance.meta({ description: 'The new instance.' }),
      credential: standardCredential.meta({ description: 'Its credential.' }),
    }),
    example: {
      instance: standardInstanceExample,
      credential: {
        token: 'whc_0198f3a2-6c01-7e22-b1c2-4d5e6f708192_<secret>',
        expires_at: '2026-03-03T09:20:00.000Z',
      },
    },
    present: ({ instance, credential }) => ({
      instance: presentStandard(instance),
      credential: present(standardCredential, credential),
    }),
  },
};

const REPLAYED =
  'The same Idempotency-Key and input returns 200 with the same instance and token for seven days. The service can open its copy of the token only with the provisioner token that the call presents. A credential that was revoked meanwhile stays revoked. Once the instance is deleted, the response is 409 `instance_deleted`.';

export const aapInstanceEndpoints = onBothMounts((mount) => [
  provisionEndpoint(mount),
  readEndpoint(mount),
  changeEndpoint(mount),
  deleteEndpoint(mount),
]);

function provisionEndpoint(mount: Mount): Endpoint {
  const variant = variants[mount.name];
  return defineEndpoint({
    operationId: mount.operationId('provisionAgentInstance'),
    method: 'post',
    path: mount.path('/v1/instances'),
    tag: mount.tag,
    dialect: mount.dialect,
    summary: 'Make an instance for a replica',
    description: `${variant.description}\n\n${REPLAYED}`,
    auth: 'provisioner',
    headers: { idempotencyKey: variant.idempotencyKey },
    body: variant.body,
    ...variant.extras,
    requestExample: variant.requestExample,
    success: {
      status: [201, 200],
      description: 'The instance and its credential; 200 when the key was used before.',
      body: variant.created,
      example: variant.example,
    },
    errors: [
      'idempotency_conflict',
      'instance_name_taken',
      'instance_deleted',
      ...variant.deliveryErrors,
    ],
    handler: async ({ principal, body, idempotencyKey }, context) => {
      const made = await provisionInstance(context, principal, {
        input: body,
        idempotencyKey: idempotencyKey || undefined,
      });
      return { status: made.created ? 201 : 200, body: variant.present(made) };
    },
  });
}

function readEndpoint(mount: Mount): Endpoint {
  const { instance, instanceExample, presentInstance } = variants[mount.name];
  return defineEndpoint({
    operationId: mount.operationId('getProvisionedInstance'),
    method: 'get',
    path: mount.path('/v1/instances/{id}'),
    tag: mount.tag,
    dialect: mount.dialect,
    summary: 'Read an instance of the agent',
    description: 'Every instance of the agent that the token belongs to, no matter who made it.',
    auth: 'provisioner',
    params,
    success: {
      status: 200,
      description: 'The instance.',
      body: instance,
      example: instanceExample,
    },
    errors: [],
    handler: async ({ principal, params: { id } }, context) => ({
      body: presentInstance(await getProvisionedInstance(context, principal, id)),
    }),
  });
}

function changeEndpoint(mount: Mount): Endpoint {
  const variant = variants[mount.name];
  const { change, instance, instanceExample, presentInstance } = variant;
  return defineEndpoint({
    operationId: mount.operationId('updateProvisionedInstance'),
    method: 'patch',
    path: mount.path('/v1/instances/{id}'),
    tag: mount.tag,
    dialect: mount.dialect,
    summary: 'Change an instance',
    description:
      'The same Idempotency-Key and input returns the first response again for seven days, and changes nothing, also after a later change.',
    auth: 'provisioner',
    headers: { idempotencyKey: variant.idempotencyKey },
    params,
    body: change,
    requestExample: { instance_name: 'runner-2' },
    success: {
      status: 200,
      description: 'The instance after the change.',
      body: instance,
      example: { ...(instanceExample as object), name: 'runner-2' },
    },
    errors: ['idempotency_conflict', 'instance_name_taken', ...variant.deliveryErrors],
    handler: async ({ principal, params: { id }, body: input, idempotencyKey }, context) => ({
      body: presentInstance(
        await changeProvisionedInstance(context, principal, {
          id,
          input,
          idempotencyKey: idempotencyKey || undefined,
        }),
      ),
    }),
  });
}

function deleteEndpoint(mount: Mount): Endpoint {
  return defineEndpoint({
    operationId: mount.operationId('deleteProvisionedInstance'),
    method: 'delete',
    path: mount.path('/v1/instances/{id}'),
    tag: mount.tag,
    dialect: mount.dialect,
    summary: 'Delete an instance for good',
    description:
      'Revokes its credentials, cancels its open requests, and frees its name. Requests that are decided stay as they are. A repetition returns 204 again.',
    auth: 'provisioner',
    params,
    success: { status: 204, description: 'The instance is deleted.' },
    errors: [],
    handler: async ({ principal, params: { id } }, context) => {
      await deleteProvisionedInstance(context, principal, id);
      return {};
    },
  });
}
