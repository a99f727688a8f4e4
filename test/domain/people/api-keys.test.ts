/** What a key may carry, and how long it may live. */
import { describe, expect, test } from '@jest/globals';
import {
  bearablePermissions,
  expiryIssues,
  latestExpiry,
  longestLife,
  keyScopeIssues,
} from '../../../src/domain/people/api-keys.ts';
import {
  grantsFromPolicies,
  type MemberPrincipal,
} from '../../../src/domain/people/authorization.ts';
import type { Permission } from '../../../src/domain/people/permissions.ts';

const now = new Date('2030-01-01T00:00:00.000Z');
const after = (ms: number) => new Date(now.getTime() + ms);

function memberWith(...permissions: Permission[]): MemberPrincipal {
  return {
    kind: 'member',
    organizationId: 'o',
    membershipId: 'm',
    userId: 'u',
    displayName: 'Ada',
    email: 'ada@example.com',
    isOwner: false,
    grants: grantsFromPolicies(
      [{ scope_kind: 'organization', resource_ids: [], permissions }],
      false,
    ),
    teamIds: [],
    requiresMfa: false,
    accessVersion: 0,
    via: { kind: 'session', sessionId: 's', isRecent: true },
    auth: { method: 'local_password', assurance: 'single_factor', authenticated_at: now },
  };
}

describe('what a personal key carries', () => {
  test('is what its member holds and such a key can hold, each once', () => {
    const member = memberWith('request.read', 'api_key.issue', 'agent.read', 'request.read');
    expect(bearablePermissions(member, 'open')).toEqual(['agent.read', 'request.read']);
  });

  test('has hosted permissions in the hosted edition only', () => {
    const member = memberWith('audit.read', 'agent.read');
    expect(bearablePermissions(member, 'open')).toEqual(['agent.read']);
    expect(bearablePermissions(member, 'hosted')).toEqual(['agent.read', 'audit.read']);
  });
});

describe('the list of a scoped key', () => {
  const pointers = (list: string[]) =>
    keyScopeIssues(list).map(({ pointer, code }) => [pointer, code]);

  test('may contain any permissions that a key can carry', () => {
    expect(pointers(['request.read'])).toEqual([]);
    expect(pointers(['request.read', 'agent.read'])).toEqual([]);
  });

  test('names each entry that is unknown, repeated or not for keys', () => {
    expect(pointers([])).toEqual([['/permissions', 'too_few']]);
    expect(pointers(['agent.read', 'agent.read', 'no.such', 'api_key.issue', 'toString'])).toEqual(
      [1, 2, 3, 4].map((index) => [`/permissions/${index}`, 'invalid_value']),
    );
  });
});

describe('the lifetime of a key', () => {
  test("is limited by the smaller of the deployment's and the organization's limit", () => {
    expect(longestLife(undefined, null)).toBeUndefined();
    expect(longestLife(60_000, null)).toBe(60_000);
    expect(longestLife(undefined, 90)).toBe(90_000);
    expect(longestLife(60_000, 90)).toBe(60_000);
    expect(longestLife(120_000, 90)).toBe(90_000);
    expect(latestExpiry(now, 60_000)).toEqual(after(60_000));
    expect(latestExpiry(now, undefined)).toBeUndefined();
  });

  test('must end in the future and no later than the limit', () => {
    const latest = after(60_000);
    expect(expiryIssues(undefined, { now, latest })).toEqual([]);
    expect(expiryIssues(after(1), { now, latest })).toEqual([]);
    expect(expiryIssues(latest, { now, latest })).toEqual([]);
    expect(expiryIssues(after(10 ** 12), { now, latest: undefined })).toEqual([]);
    for (const wanted of [now, after(-1), after(60_001)]) {
      expect(expiryIssues(wanted, { now, latest })).toMatchObject([
        { pointer: '/expires_at', code: 'invalid_value' },
      ]);
    }
  });
});
