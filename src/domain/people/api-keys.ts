/** What an API key may carry and how long it may live. */
import type { HeldPolicy } from './permission-policies.ts';
import type { MemberPrincipal } from './authorization.ts';
import { AppError, type Issue } from '../errors.ts';
import type { OAuthResource } from './key-resources.ts';
import { isPermission, isServedBy, mayHold, type Permission, type Edition } from './permissions.ts';

export interface ApiKeyRules {
  readonly personalApiKeysAllowed: boolean;
  readonly maxLifetimeSeconds: number | null;
  /** The database's clock, by which expiry is judged. */
  readonly now: Date;
}

export type ApiKeyKind = 'personal' | 'organization';

export type ApiKeyStatus = 'active' | 'expired' | 'revoked';

/** The program that holds a key, and what its person let it do. */
export interface KeyClient {
  readonly id: string;
  readonly name: string;
  /** The URL of the document that names it; null when it registered itself. */
  readonly metadataUrl: string | null;
  readonly resource: OAuthResource;
  /** When it got its present token; null before the first one, and where that cannot be told any more. */
  readonly tokenIssuedAt: Date | null;
  /** When its access ends even if it refreshes; null without such a limit. */
  readonly endsAt: Date | null;
}

/** A key as the API presents it. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly kind: ApiKeyKind;
  /** The member that a personal key acts as. Absent for an organization key. */
  readonly membershipId: string | null;
  readonly createdBy: {
    readonly membershipId: string;
    readonly displayName: string;
    readonly email: string;
  };
  readonly name: string;
  readonly permissions: readonly string[] | null;
  readonly assuranceAtIssue: 'single_factor' | 'strong';
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly revocationReason: 'manual' | 'membership_deprovisioned' | null;
  readonly status: ApiKeyStatus;
  /** Why an active key does not work now. */
  readonly blockedReason: 'organization_inactive' | 'api_keys_disabled' | null;
  /** The program that a person approved with this key. Absent for keys that people made by hand. */
  readonly oauthClient: KeyClient | null;
  /** False while the member of a personal key is suspended. */
  readonly holderActive: boolean;
  /** Set for an organization key. */
  readonly policies: readonly HeldPolicy[];
}

/** The permissions an unscoped personal key carries: all that the member holds and a key can hold, sorted. */
export function bearablePermissions(
  principal: MemberPrincipal,
  edition: Edition,
): readonly Permission[] {
  const held = principal.grants
    .map((grant) => grant.permission)
    .filter((permission) => mayHold('api_key', permission) && isServedBy(edition, permission));
  return [...new Set(held)].sort();
}

/** Problems in the permission list of a scoped key, whatever its member holds. */
export function keyScopeIssues(wanted: readonly string[]): readonly Issue[] {
  if (wanted.length === 0)
    return [
      { pointer: '/permissions', code: 'too_few', message: 'must name at least one permission' },
    ];
  return wanted.flatMap((key, index) => {
    const wrong = scopeProblem(key, wanted.indexOf(key) !== index);
    return wrong === undefined
      ? []
      : [{ pointer: `/permissions/${index}`, code: 'invalid_value', message: wrong }];
  });
}

/** Throws 403 `grant_exceeds_own` (details.grants): a scoped key carries part of what its member holds. */
export function requireBearable(
  wanted: readonly Permission[],
  bearable: readonly Permission[],
): void {
  const beyond = wanted.filter((permission) => !bearable.includes(permission));
  if (beyond.length === 0) return;
  const grants = beyond.map((permission) => ({ permission, scope_kind: 'organization' }));
  throw new AppError('grant_exceeds_own', { details: { grants } });
}

function scopeProblem(key: string, isRepeated: boolean): string | undefined {
  if (!isPermission(key)) return 'must be a permission of the vocabulary (GET /api/v1/permissions)';
  if (isRepeated) return 'must be named only once';
  return mayHold('api_key', key) ? undefined : 'must be a permission that personal keys can hold';
}

/** The shorter of the deployment's and the organization's limit, in milliseconds; undefined when neither sets one. */
export function longestLife(
  deploymentMs: number | undefined,
  organizationSeconds: number | null,
): number | undefined {
  const lives = [
    deploymentMs,
    organizationSeconds === null ? undefined : organizationSeconds * 1_000,
  ].filter((ms) => ms !== undefined);
  return lives.length === 0 ? undefined : Math.min(...lives);
}

/** The latest expiry of a key created now; undefined when a key may live until it is revoked. */
export function latestExpiry(now: Date, longestMs: number | undefined): Date | undefined {
  return longestMs === undefined ? undefined : new Date(now.getTime() + longestMs);
}

/** Problems in the requested expiry of a key. */
export function expiryIssues(
  wanted: Date | undefined,
  { now, latest }: { readonly now: Date; readonly latest: Date | undefined },
): readonly Issue[] {
  const issue = (message: string): readonly Issue[] => [
    { pointer: '/expires_at', code: 'invalid_value', message },
  ];
  if (wanted && wanted <= now) return issue('must be in the future');
  if (wanted && latest && wanted > latest)
    return issue(
      `must be no later than ${latest.toISOString()}: the deployment or the organization limits how long keys live`,
    );
  return [];
}
