/** What an API key may carry and how long it may live. */
import type { MemberPrincipal } from './authorization.ts';
import type { Issue } from '../errors.ts';
import {
  isPermission,
  isServedBy,
  mayHold,
  type Permission,
  type PermissionEdition,
} from './permissions.ts';

/** The permissions an unscoped personal key carries: all that the member holds and a key can hold, sorted. */
export function bearablePermissions(
  principal: MemberPrincipal,
  edition: PermissionEdition,
): readonly Permission[] {
  const held = principal.grants
    .map((grant) => grant.permission)
    .filter((permission) => mayHold('api_key', permission) && isServedBy(edition, permission));
  return [...new Set(held)].sort();
}

/** Problems in the permission list of a scoped key. The list may hold only permissions in `bearable`. */
export function keyScopeIssues(
  narrowing: readonly string[],
  bearable: readonly Permission[],
): readonly Issue[] {
  if (narrowing.length === 0)
    return [
      { pointer: '/permissions', code: 'too_few', message: 'must name at least one permission' },
    ];
  return narrowing.flatMap((key, index) => {
    const wrong = narrowingProblem(key, { isRepeated: narrowing.indexOf(key) !== index, bearable });
    return wrong === undefined
      ? []
      : [{ pointer: `/permissions/${index}`, code: 'invalid_value', message: wrong }];
  });
}

function narrowingProblem(
  key: string,
  about: { readonly isRepeated: boolean; readonly bearable: readonly Permission[] },
) {
  if (!isPermission(key)) return 'is not a key of the permission vocabulary';
  if (about.isRepeated) return 'is named twice';
  if (!mayHold('api_key', key)) return 'cannot be held by a personal key';
  return about.bearable.includes(key) ? undefined : 'is nothing you hold yourself';
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

/** The latest expiry of a key minted now; undefined when a key may live until it is revoked. */
export function latestEnd(now: Date, longestMs: number | undefined): Date | undefined {
  return longestMs === undefined ? undefined : new Date(now.getTime() + longestMs);
}

/** Problems in the requested expiry of a key. */
export function endIssues(
  wanted: Date | undefined,
  { now, latest }: { readonly now: Date; readonly latest: Date | undefined },
): readonly Issue[] {
  const issue = (message: string): readonly Issue[] => [
    { pointer: '/expires_at', code: 'invalid_value', message },
  ];
  if (wanted && wanted <= now) return issue('must be in the future');
  if (wanted && latest && wanted > latest)
    return issue(
      `must be no later than ${latest.toISOString()}: this deployment limits how long keys live`,
    );
  return [];
}
