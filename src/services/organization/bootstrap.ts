/** Creates the first owner, once, with a secret from a file that only the operator can read. */
import { rm } from 'node:fs/promises';
import { v7 } from 'uuid';
import { personOf } from '../../domain/audit/events.ts';
import { AppError } from '../../domain/errors.ts';
import { slugOf } from '../../domain/organization/organizations.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { insertMembership } from '../../data/people/memberships.ts';
import {
  hasOrganization,
  insertOrganization,
  lockBootstrap,
} from '../../data/organization/organizations.ts';
import { insertPermissionPolicies } from '../../data/people/permission-policies.ts';
import { createPipeline } from '../../data/pipelines/request-approval-pipelines.ts';
import { deleteRecoveryCodes } from '../../data/sign-in/recovery-codes.ts';
import { deleteTotpFactor } from '../../data/sign-in/totp-factors.ts';
import { upsertUser } from '../../data/people/users.ts';
import { hashPassword } from '../../platform/crypto/passwords.ts';
import type { Trx } from '../../platform/postgres.ts';
import { ensureSecretFile, readSecretFile } from '../../platform/crypto/secret-file.ts';
import { hashSecret, secretMatches } from '../../platform/crypto/tokens.ts';
import type { BootstrapContext, BootstrapPorts, Runtime } from '../context.ts';
import { requireAcceptablePassword } from '../sign-in/passwords.ts';
import {
  openSession,
  PASSWORD_METHOD,
  signedIn,
  type Client,
  type SignedIn,
} from '../sign-in/sessions.ts';
import { forgiveNetwork } from '../access/sign-in-attempts.ts';

/**
 * Writes the secret (0600) while there is no organization, and removes it afterwards. Safe to
 * repeat.
 */
export async function prepareBootstrap(context: BootstrapContext): Promise<void> {
  if (await hasOrganization(context.db)) await removeSecret(context);
  else await ensureSecretFile(context.bootstrapSecretFile);
}

/**
 * The secret is used up, so a file that cannot be removed (such as a read-only mount) is no
 * failure.
 */
async function removeSecret({
  bootstrapSecretFile,
  logger,
}: Runtime & BootstrapPorts): Promise<void> {
  await rm(bootstrapSecretFile, { force: true }).catch((error: unknown) => {
    logger.warn({ err: error }, 'the bootstrap secret could not be removed');
  });
}

export interface BootstrapInput {
  readonly secret: string;
  readonly organizationName: string;
  readonly displayName: string;
  readonly email: string;
  readonly password: string;
  readonly client: Client;
}

/**
 * Creates the organization with its empty pipeline and its first owner, and signs the owner in. 409
 * `already_bootstrapped`, also for all but one of several concurrent calls; 403
 * `bootstrap_secret_invalid`.
 */
export async function bootstrap(
  context: BootstrapContext,
  input: BootstrapInput,
): Promise<SignedIn> {
  if (await hasOrganization(context.db)) throw new AppError('already_bootstrapped');
  await checkSecret(context, input.secret);
  await requireAcceptablePassword(input.password, {
    words: [input.email, input.displayName, input.organizationName],
    pointer: '/password',
  });
  const passwordHash = await hashPassword(input.password);
  const issued = await context.db.transaction(async (trx) => {
    await lockBootstrap(trx);
    if (await hasOrganization(trx)) throw new AppError('already_bootstrapped');
    const owner = { organizationId: v7(), membershipId: v7(), displayName: input.displayName };
    await insertOwner(trx, { ...owner, ...input, passwordHash });
    return await openSession(trx, owner, { ...PASSWORD_METHOD, client: input.client });
  });
  await removeSecret(context);
  await forgiveNetwork(context, input.client.address);
  return await signedIn(context, issued);
}

async function checkSecret(context: BootstrapContext, presented: string): Promise<void> {
  const failure: unknown = await ensureSecretFile(context.bootstrapSecretFile).then(
    () => undefined,
    (error: unknown) => error,
  );
  const secret = await readSecretFile(context.bootstrapSecretFile);
  if (secret !== undefined && secretMatches(presented, hashSecret(secret))) return;
  // The winner of a race has removed the file.
  if (await hasOrganization(context.db)) throw new AppError('already_bootstrapped');
  if (secret === undefined && failure !== undefined) {
    throw new AppError('dependency_unavailable', {
      detail:
        'The service has no bootstrap secret: it cannot write to its data folder. Set COUNTERSIGN_DATA_DIR to a folder that it can write to, and restart it.',
      cause: failure,
    });
  }
  throw new AppError('bootstrap_secret_invalid');
}

interface NewOwner extends BootstrapInput {
  readonly organizationId: string;
  readonly membershipId: string;
  readonly passwordHash: string;
}

async function insertOwner(trx: Trx, owner: NewOwner): Promise<void> {
  const { organizationId, membershipId, displayName } = owner;
  const names = { name: owner.organizationName, slug: slugOf(owner.organizationName) };
  await insertOrganization(trx, organizationId, names);
  // The operator's secret vouches for the email, also when an account of a deleted organization has it.
  const userId = await upsertUser(trx, {
    id: v7(),
    email: owner.email,
    displayName,
    passwordHash: owner.passwordHash,
  });
  // The new password replaces everything that opened the old account.
  await deleteRecoveryCodes(trx, userId);
  await deleteTotpFactor(trx, userId);
  await insertMembership(trx, organizationId, {
    id: membershipId,
    userId,
    admissionSource: 'manual',
  });
  const terms = {
    scopeKind: 'organization',
    resourceIds: [],
    permissions: [],
    isOwner: true,
  } as const;
  const holder = { kind: 'membership', id: membershipId } as const;
  const [policyId = ''] = await insertPermissionPolicies(trx, organizationId, {
    holder,
    terms: [terms],
  });
  const actor = personOf(owner);
  await insertAuditEvents(trx, organizationId, {
    events: [
      { eventType: 'organization.created', actor, subjectId: organizationId, data: names },
      {
        eventType: 'membership.created',
        actor,
        subjectId: membershipId,
        data: { admission_source: 'manual' },
      },
      {
        eventType: 'permission_policy.created',
        actor,
        subjectId: policyId,
        data: { membership_id: membershipId, scope_kind: 'organization', is_owner: true },
      },
    ],
  });
  await createPipeline(trx, organizationId, {
    documentKey: 'organization',
    createdByActorId: membershipId,
  });
}
