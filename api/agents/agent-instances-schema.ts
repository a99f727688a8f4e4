/** Instances, their credentials and provisioner tokens, as the API reads and returns them. */
import type { AgentInstance } from '../../src/domain/agents/agent-instances.ts';
import type { AgentProvisioner } from '../../src/domain/agents/agent-provisioners.ts';
import { z } from 'zod';
import type { CreatedInstance, IssuedCredential } from '../../src/services/agents/new-instances.ts';
import { compareDecimals, ExactNumber } from '../../src/platform/json/exact-values.ts';
import { present } from '../http/present.ts';
import { exactObject, slug, timestamp, uuid } from '../http/schema.ts';

const MAX_METADATA_BYTES = 64 * 1024;

export const agentInstanceSchema = z
  .strictObject({
    id: uuid('Identity of the instance.'),
    organization_id: uuid('Organization the instance belongs to.'),
    agent_slug: slug('Agent the instance runs.'),
    name: z.string().meta({ description: 'Name of the instance, unique within its agent.' }),
    status: z
      .enum(['active', 'disabled'])
      .meta({ description: 'A disabled instance cannot authenticate.' }),
    metadata: exactObject('The JSON object stored at creation, digit for digit.'),
    created_at: timestamp('When the instance was created.'),
    last_seen_at: timestamp(
      'When the instance last called the service, to the minute. Before the first call, its creation time.',
    ),
  })
  .meta({
    id: 'AgentInstance',
    description: 'One running copy of an agent. Requests and credentials belong to it.',
  });

export const issuedCredentialSchema = z
  .strictObject({
    id: uuid('Identity of the credential.'),
    token: z
      .string()
      .meta({ description: 'The secret bearer token, `whc_…`. Shown only in this response.' }),
    expires_at: timestamp('When the token stops working.'),
  })
  .meta({ id: 'IssuedCredential', description: 'A new credential with its secret.' });

export const presentAgentInstance = (instance: AgentInstance) =>
  present(agentInstanceSchema, instance);

export const instanceMetadata = exactObject(
  'Free-form JSON about the instance, at most 64 KiB. It is stored exactly as sent.',
).refine((json) => Buffer.byteLength(json.text) <= MAX_METADATA_BYTES, {
  error: 'must be at most 64 KiB of JSON',
});

/** A whole number of any size from 0. A number too large for a double counts as infinite. */
export const ttlSeconds = z
  .custom<number | ExactNumber>(
    (value) => {
      if (value instanceof ExactNumber)
        return /^[0-9]+$/.test(value.source) && compareDecimals(value, 0) >= 0;
      return typeof value === 'number' && Number.isInteger(value) && value >= 0;
    },
    { error: 'must be a whole number of seconds, 0 or more' },
  )
  .meta({
    description:
      'Lifetime of the credential in seconds. Absent or 0 means the default; a larger value is reduced to it.',
    override: { type: 'integer', format: 'int64', minimum: 0 },
  })
  .transform((value) => (value instanceof ExactNumber ? Infinity : value));

export const agentProvisionerSchema = z
  .strictObject({
    id: uuid('Identity of the provisioner token.'),
    organization_id: uuid('Organization the token belongs to.'),
    agent_slug: slug('Agent whose instances the token makes.'),
    created_by_actor_id: uuid('Membership or organization key that issued the token.'),
    suffix: z.string().meta({ description: 'The last six characters of the token.' }),
    issued_at: timestamp('When the token was issued.'),
    expires_at: timestamp('When the token stops working.'),
    last_used_at: timestamp(
      'When the token last made, renamed or deleted an instance. Absent if never.',
    ).optional(),
    revoked_at: timestamp('When the token was revoked. Absent while it is not.').optional(),
  })
  .meta({
    id: 'AgentProvisioner',
    description: 'A provisioner token of an agent, without its secret.',
  });

export const presentAgentProvisioner = (provisioner: AgentProvisioner) =>
  present(agentProvisionerSchema, provisioner);

export const agentProvisionerExample = {
  id: '0198f3a2-7d10-7a44-9c2e-5e6f70819203',
  organization_id: '0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d6e',
  agent_slug: 'deploy-bot',
  created_by_actor_id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70',
  suffix: 'k3Xw9Q',
  issued_at: '2026-03-02T09:25:00.000Z',
  expires_at: '2027-03-02T09:25:00.000Z',
};

/** What responses that issue a credential say. */
export const instanceWithCredentialSchema = z.strictObject({
  agent_instance: agentInstanceSchema.meta({ description: 'The new instance.' }),
  credential: issuedCredentialSchema.meta({ description: 'Its credential.' }),
});

export const presentIssuedCredential = (credential: IssuedCredential) =>
  present(issuedCredentialSchema, credential);

export const presentInstanceWithCredential = ({ instance, credential }: CreatedInstance) => ({
  agent_instance: presentAgentInstance(instance),
  credential: presentIssuedCredential(credential),
});

export const instanceWithCredentialExample = {
  agent_instance: {
    id: '0198f3a2-6c00-7d11-a0b1-3c4d5e6f7081',
    organization_id: '0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d6e',
    agent_slug: 'deploy-bot',
    name: 'runner-1',
    status: 'active',
    metadata: { host: 'ci-7' },
    created_at: '2026-03-02T09:20:00.000Z',
    last_seen_at: '2026-03-02T09:20:00.000Z',
  },
  credential: {
    id: '0198f3a2-6c01-7e22-b1c2-4d5e6f708192',
    token: 'whc_0198f3a2-6c01-7e22-b1c2-4d5e6f708192_<secret>',
    expires_at: '2026-03-03T09:20:00.000Z',
  },
};
