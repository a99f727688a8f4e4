/**
 * Organization API keys (hosted edition), which serve shared integrations with their own grants;
 * and the list of all keys for administrators.
 */
import { expiryIssues, type ApiKeyKind, type ApiKeyStatus } from '../../domain/people/api-keys.ts';
import {
  requireMayGrant,
  type PolicyResource,
  type PolicyTerms,
} from '../../domain/people/permission-policies.ts';
import { AppError, invalid } from '../../domain/errors.ts';
import { actorOf } from '../../domain/audit/events.ts';
import {
  effectiveGrants,
  type MemberPrincipal,
  type OrganizationKeyPrincipal,
} from '../../domain/people/authorization.ts';
import {
  isServedBy,
  mayHold,
  permissionEntry,
  type Grant,
  type PermissionEntry,
} from '../../domain/people/permissions.ts';
import { requireRecentAuthentication } from '../../domain/people/recent-authentication.ts';
import { findApiKeyRules, listApiKeys } from '../../data/people/api-keys.ts';
import { findMemberWithPolicies } from '../../data/people/memberships.ts';
import { findOrganizationKeyHolder } from '../../data/people/organization-api-keys.ts';
import { secretMatches, type PresentedToken } from '../../platform/crypto/tokens.ts';
import {
  apiKey,
  insertWithToken,
  latestExpiryUnder,
  noteUse,
  readApiKey,
  revokeWithAudit,
  type ApiKey,
  type IssuedApiKey,
} from './api-keys.ts';
import type { ServiceContext } from '../context.ts';
import { lockAccessAndRereadMember } from '../access/current-callers.ts';
import { apiKeyAuth, principalOf } from '../access/principals.ts';
import { readPage } from '../pages.ts';
import { addPolicies, requireValidTerms } from './permission-policies.ts';
import { offerResources } from './permission-policy-pages.ts';
import { organizationKeyPrincipal } from '../access/principals.ts';

const HOLDER = 'organization_api_key';

/**
 * The integration of an organization key. 401 when it is unknown, expired or revoked, and
 * always in the open edition.
 */
export async function authenticateOrganizationKey(
  context: ServiceContext,
  token: PresentedToken,
): Promise<OrganizationKeyPrincipal> {
  const key =
    context.edition === 'hosted'
      ? await findOrganizationKeyHolder(context.db, token.id)
      : undefined;
  if (!key?.valid || !secretMatches(token.secret, key.tokenHash))
    throw new AppError('authentication_required');
  noteUse(context, key);
  return organizationKeyPrincipal(key);
}

export interface ApiKeyFilter {
  readonly kind: ApiKeyKind | undefined;
  /** The membership of who created the key. */
  readonly createdBy: string | undefined;
  readonly endsSoon: boolean;
  readonly status: ApiKeyStatus | undefined;
  readonly q: string | undefined;
}

/**
 * The organization's keys that match the filter, newest first. `next` is the id of the last one,
 * when more follow.
 */
export async function listAllApiKeys(
  context: ServiceContext,
  principal: MemberPrincipal,
  page: ApiKeyFilter & { readonly limit: number; readonly after: string | undefined },
): Promise<{ readonly keys: readonly ApiKey[]; readonly next: string | undefined }> {
  const { items, last } = await readPage(page.limit, (limit) =>
    listApiKeys(context.db, principal.organizationId, { ...page, limit }),
  );
  return { keys: items.map((record) => apiKey(context, record)), next: last?.id };
}

export interface ApiKeyDetail {
  readonly key: ApiKey;
  /** Its own grants, or its member's after key scoping. None once it is revoked or has expired. */
  readonly effectiveGrants: readonly Grant[];
}

/** Throws 404. */
export async function getApiKey(
  context: ServiceContext,
  { organizationId }: MemberPrincipal,
  id: string,
): Promise<ApiKeyDetail> {
  const key = await readApiKey(context.db, context, { organizationId, id });
  return { key, effectiveGrants: await carriedBy(context, organizationId, key) };
}

async function carriedBy(
  context: ServiceContext,
  organizationId: string,
  key: ApiKey,
): Promise<readonly Grant[]> {
  if (key.status !== 'active') return [];
  const { id: keyId, name, grants, membershipId } = key;
  const { edition } = context;
  const auth = apiKeyAuth(key.assuranceAtIssue, key.createdAt);
  if (membershipId === null)
    return effectiveGrants(
      { kind: 'organization_key', organizationId, keyId, name, grants, auth },
      edition,
    );
  const member = await findMemberWithPolicies(context.db, organizationId, membershipId);
  if (!member) throw new Error('the member of a personal key is gone');
  return effectiveGrants(
    principalOf(member, { via: { kind: 'api_key', keyId, scopedTo: key.permissions }, auth }),
    edition,
  );
}

/** Revokes any key of the organization. A repeat changes nothing. Throws 404. */
export async function revokeAnyApiKey(
  context: ServiceContext,
  principal: MemberPrincipal,
  id: string,
): Promise<void> {
  const { organizationId } = principal;
  await context.db.transaction(async (trx) => {
    await lockAccessAndRereadMember(trx, principal, { permission: 'api_key.revoke' });
    await readApiKey(trx, context, { organizationId, id });
    await revokeWithAudit(trx, organizationId, { id, actor: actorOf(principal) });
  });
}

/** The options for a new organization key. */
export interface OrganizationKeyOptions {
  readonly permissions: readonly PermissionEntry[];
  /** The caller's grants of these permissions. Each can be granted as is or at a smaller scope. */
  readonly grants: readonly Grant[];
  /** The live teams and agents within the grants. */
  readonly resources: readonly PolicyResource[];
  readonly resourcesTruncated: boolean;
  readonly latestExpiry: Date | undefined;
}

export async function organizationKeyOptions(
  context: ServiceContext,
  principal: MemberPrincipal,
): Promise<OrganizationKeyOptions> {
  const { organizationId } = principal;
  const grants = principal.grants.filter(
    ({ permission }) => mayHold(HOLDER, permission) && isServedBy(context.edition, permission),
  );
  const permissions = [...new Set(grants.map(({ permission }) => permission))].map(permissionEntry);
  const [rules, { resources, truncated }] = await Promise.all([
    findApiKeyRules(context.db, organizationId),
    offerResources(context.db, organizationId, { grants }),
  ]);
  return {
    permissions,
    grants,
    resources,
    resourcesTruncated: truncated,
    latestExpiry: latestExpiryUnder(context, rules),
  };
}

/**
 * Creates a key with its own policies. 400 for policies such a key cannot hold; 403
 * `grant_exceeds_own` for what the caller does not hold; and what `requireRecentAuthentication`
 * throws, since the key outlives its creator's membership.
 */
export async function issueOrganizationKey(
  context: ServiceContext,
  principal: MemberPrincipal,
  input: {
    readonly name: string;
    readonly policies: readonly PolicyTerms[];
    readonly expiresAt: Date | undefined;
  },
): Promise<IssuedApiKey> {
  const { name, policies } = input;
  const { organizationId } = principal;
  return await context.db.transaction(async (trx) => {
    const issuer = await lockAccessAndRereadMember(trx, principal, {
      permission: 'api_key.organization.issue',
    });
    const rules = await findApiKeyRules(trx, organizationId);
    const latest = latestExpiryUnder(context, rules);
    const issues = expiryIssues(input.expiresAt, { now: rules.now, latest });
    if (issues.length > 0) throw invalid(issues);
    const submitted = policies.map((terms, index) => ({
      terms,
      pointer: `/permission_policies/${index}`,
    }));
    await requireValidTerms(trx, organizationId, {
      edition: context.edition,
      holder: HOLDER,
      policies: submitted,
    });
    for (const terms of policies) requireMayGrant(issuer, terms);
    requireRecentAuthentication(issuer);
    const expiresAt = input.expiresAt ?? latest;
    const wanted = {
      kind: 'organization',
      issuer,
      name,
      permissions: undefined,
      expiresAt,
      now: rules.now,
    } as const;
    const { key, token } = await insertWithToken(trx, context, wanted);
    const holder = { kind: 'organization_api_key', id: key.id } as const;
    const granted = {
      holder,
      terms: policies,
      actor: actorOf(issuer),
      grantedByActorId: issuer.membershipId,
    };
    await addPolicies(trx, organizationId, granted);
    return { key: await readApiKey(trx, context, { organizationId, id: key.id }), token };
  });
}
