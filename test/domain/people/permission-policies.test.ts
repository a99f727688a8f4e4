/**
 * What makes a permission policy valid, who may grant it, and that callers cannot grant more than
 * they hold.
 */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { authorize, grantsFromPolicies } from '../../../src/domain/people/authorization.ts';
import type {
  AuthorizationTarget,
  MemberPrincipal,
  OrganizationKeyPrincipal,
  PolicyGrants,
  Principal,
} from '../../../src/domain/people/authorization.ts';
import { AppError } from '../../../src/domain/errors.ts';
import {
  policyIssues,
  policyReadOnlyReason,
  requireMayGrant,
  type PlacedPolicy,
  type PolicyTerms,
} from '../../../src/domain/people/permission-policies.ts';
import {
  permissionEntry,
  permissions,
  type Permission,
} from '../../../src/domain/people/permissions.ts';

const at = new Date('2026-03-01T12:00:00.000Z');
const session = { kind: 'session', sessionId: 's1', isRecent: true } as const;
const stale = { ...session, isRecent: false };
const personalKey = (scopedTo: readonly Permission[] | null) =>
  ({ kind: 'api_key', keyId: 'k1', scopedTo }) as const;

interface Person {
  readonly policies?: readonly PolicyGrants[];
  readonly isOwner?: boolean;
  readonly via?: MemberPrincipal['via'];
  readonly requiresMfa?: boolean;
  readonly assurance?: 'single_factor' | 'strong';
}

function member({
  policies = [],
  isOwner = false,
  via = session,
  requiresMfa = false,
  assurance = 'single_factor',
}: Person): MemberPrincipal {
  const person = {
    membershipId: 'm1',
    userId: 'u1',
    displayName: 'Ada',
    email: 'ada@example.com',
    teamIds: [],
  };
  const auth = { method: 'local_password', assurance, authenticated_at: at } as const;
  const grants = grantsFromPolicies(policies, isOwner);
  return {
    kind: 'member',
    organizationId: 'o1',
    ...person,
    isOwner,
    requiresMfa,
    accessVersion: 0,
    grants,
    via,
    auth,
  };
}

function organizationKey(policies: readonly PolicyGrants[]): OrganizationKeyPrincipal {
  const auth = { method: 'api_key', assurance: 'single_factor', authenticated_at: at } as const;
  return {
    kind: 'organization_key',
    organizationId: 'o1',
    keyId: 'k2',
    name: 'CI',
    grants: grantsFromPolicies(policies, false),
    auth,
  };
}

const terms = (given: Partial<PolicyTerms>): PolicyTerms => ({
  scopeKind: 'organization',
  resourceIds: [],
  permissions: [],
  isOwner: false,
  ...given,
});
const granting = (...keys: string[]) => terms({ permissions: keys });
const onAgents = (resourceIds: readonly string[], ...keys: string[]) =>
  terms({ scopeKind: 'agent', resourceIds, permissions: keys });
const ownership = terms({ isOwner: true });
const held = ({ scopeKind, resourceIds, permissions: keys }: PolicyTerms): PolicyGrants => ({
  scope_kind: scopeKind,
  resource_ids: resourceIds,
  permissions: keys,
});

/** `may`, or the code of the refusal. */
function verdict(granter: MemberPrincipal, given: PolicyTerms): string {
  try {
    requireMayGrant(granter, given);
    return 'may';
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

describe('the terms of a policy', () => {
  const issuesOf = (
    given: PolicyTerms,
    holder: 'human' | 'organization_api_key' = 'human',
    edition: 'open' | 'hosted' = 'hosted',
  ) => policyIssues(given, { holder, edition, pointer: '/at' }).map(({ pointer }) => pointer);

  test.each([
    ['a permission for the organization', granting('agent.read')],
    [
      'permissions of agents for some agents',
      onAgents(['a', 'b'], 'request.read', 'pipeline.write'),
    ],
    [
      'permissions of teams for a team',
      terms({ scopeKind: 'team', resourceIds: ['t'], permissions: ['team.write'] }),
    ],
    ['ownership', ownership],
  ])('are valid: %s', (_, given) => {
    expect(issuesOf(given)).toEqual([]);
  });

  test.each([
    ['nothing granted', granting(), ['/at/permissions']],
    ['an unknown key', granting('agent.read', 'agent.fly'), ['/at/permissions/1']],
    ['a repeated key', granting('agent.read', 'agent.read'), ['/at/permissions/1']],
    ['what no person can hold', granting('request.create'), ['/at/permissions/0']],
    [
      'resources at organization scope',
      terms({ resourceIds: ['a'], permissions: ['agent.read'] }),
      ['/at/resource_ids'],
    ],
    ['no resource at a narrower scope', onAgents([], 'agent.read'), ['/at/resource_ids']],
    ['a repeated resource', onAgents(['a', 'a'], 'agent.read'), ['/at/resource_ids/1']],
    [
      'a permission that has no such scope',
      onAgents(['a'], 'membership.read'),
      ['/at/permissions/0'],
    ],
    [
      'ownership of an agent',
      terms({ isOwner: true, scopeKind: 'agent', resourceIds: ['a'] }),
      ['/at/scope_kind'],
    ],
    [
      'ownership beside permissions',
      terms({ isOwner: true, permissions: ['agent.read'] }),
      ['/at/permissions'],
    ],
  ])('are not: %s', (_, given, pointers) => {
    expect(issuesOf(given)).toEqual(pointers);
  });

  test('give an organization key no ownership and nothing that only people hold', () => {
    expect(issuesOf(ownership, 'organization_api_key')).toEqual(['/at/is_owner']);
    expect(issuesOf(granting('request.read', 'request.decide'), 'organization_api_key')).toEqual([
      '/at/permissions/1',
    ]);
  });

  test('give a team what people can hold, but no ownership', () => {
    const team = { holder: 'human', mayOwn: false, edition: 'hosted' } as const;
    expect(policyIssues(granting('request.decide'), team)).toEqual([]);
    expect(policyIssues(ownership, team)).toMatchObject([{ pointer: '/is_owner' }]);
  });

  test('grant in the open edition nothing that only the hosted edition serves', () => {
    expect(issuesOf(granting('audit.read'))).toEqual([]);
    expect(issuesOf(granting('audit.read'), 'human', 'open')).toEqual(['/at/permissions/0']);
  });
});

describe('granting', () => {
  test('needs to hold the permission at the same scope or wider', () => {
    const reader = member({ policies: [held(onAgents(['a', 'b'], 'agent.read'))] });
    expect(verdict(reader, onAgents(['b'], 'agent.read'))).toBe('may');
    expect(verdict(reader, onAgents(['b', 'c'], 'agent.read'))).toBe('grant_exceeds_own');
    expect(verdict(reader, granting('agent.read'))).toBe('grant_exceeds_own');
    expect(
      verdict(member({ policies: [held(granting('agent.read'))] }), onAgents(['c'], 'agent.read')),
    ).toBe('may');
  });

  test('a dangerous permission or ownership needs recent authentication, with a second factor where required', () => {
    for (const given of [granting('organization.delete'), ownership]) {
      const owner = (person: Person) => member({ isOwner: true, ...person });
      expect(verdict(owner({}), given)).toBe('may');
      expect(verdict(owner({ via: stale }), given)).toBe('reauthentication_required');
      expect(verdict(owner({ via: personalKey(null) }), given)).toBe('session_required');
      expect(verdict(owner({ requiresMfa: true }), given)).toBe('mfa_required');
      expect(verdict(owner({ requiresMfa: true, assurance: 'strong' }), given)).toBe('may');
    }
    expect(verdict(member({ isOwner: true, via: stale }), granting('agent.read'))).toBe('may');
  });

  test('ownership needs an owner, even for a caller who holds every permission', () => {
    const everything = permissions
      .filter(({ holders }) => holders.includes('human'))
      .map(({ key }) => key);
    expect(verdict(member({ policies: [held(granting(...everything))] }), ownership)).toBe(
      'owner_required',
    );
  });

  test('by a key is limited to what the key itself can do', () => {
    const owner = { isOwner: true };
    expect(
      verdict(member({ ...owner, via: personalKey(['agent.read']) }), granting('agent.read')),
    ).toBe('may');
    expect(
      verdict(member({ ...owner, via: personalKey(['agent.read']) }), granting('agent.write')),
    ).toBe('grant_exceeds_own');
    expect(verdict(member({ ...owner, via: personalKey(null) }), granting('api_key.issue'))).toBe(
      'grant_exceeds_own',
    );
  });
});

describe('for any terms, granter and holder', () => {
  const keys = permissions.map(({ key }) => key);
  const agents = ['a', 'b'];
  const teams = ['t', 'u'];
  const subset = <T>(from: readonly T[], minLength = 0) =>
    fc.uniqueArray(fc.constantFrom(...from), { minLength, maxLength: 6 });

  /** Mostly valid for the holder, and sometimes not: all that is accepted must be harmless. */
  const anyTerms: fc.Arbitrary<PolicyTerms> = fc.oneof(
    subset(keys, 1).map((chosen) => granting(...chosen)),
    fc.tuple(subset(agents, 1), subset(keys, 1)).map(([ids, chosen]) => onAgents(ids, ...chosen)),
    fc
      .tuple(subset(teams, 1), subset(keys, 1))
      .map(([resourceIds, chosen]) =>
        terms({ scopeKind: 'team', resourceIds, permissions: chosen }),
      ),
    fc.constant(ownership),
  );

  const anyGranter: fc.Arbitrary<MemberPrincipal> = fc
    .record({
      policies: fc.array(anyTerms.map(held), { maxLength: 4 }),
      isOwner: fc.boolean(),
      via: fc.oneof(
        fc.constant(session),
        fc.constant(stale),
        fc.option(subset(keys)).map(personalKey),
      ),
    })
    .map(member);

  const targets: readonly AuthorizationTarget[] = [
    { kind: 'organization' },
    { kind: 'any' },
    ...agents.map((slug) => ({ kind: 'agent', slug }) as const),
    ...teams.map((id) => ({ kind: 'team', id }) as const),
  ];

  const holders = (given: PolicyTerms): readonly Principal[] => {
    const granted = [held(given)];
    const asKey = given.isOwner ? [] : [organizationKey(granted)];
    return [
      ...[session, personalKey(null)].map((via) =>
        member({ policies: granted, isOwner: given.isOwner, via }),
      ),
      ...asKey,
    ];
  };

  test('a caller cannot grant what lets the holder do something that the caller may not do', () => {
    let accepted = 0;
    fc.assert(
      fc.property(anyGranter, anyTerms, (granter, given) => {
        if (verdict(granter, given) !== 'may') return;
        accepted += 1;
        for (const holder of holders(given)) {
          for (const target of targets) {
            const gained = keys.filter((key) => authorize(holder, key, target).allowed);
            expect(gained.filter((key) => !authorize(granter, key, target).allowed)).toEqual([]);
          }
        }
      }),
      { numRuns: 500 },
    );
    expect(accepted).toBeGreaterThan(5);
  });

  test('a dangerous permission is granted only with recent authentication', () => {
    fc.assert(
      fc.property(anyGranter, anyTerms, (granter, given) => {
        const dangerous =
          given.isOwner ||
          given.permissions.some((key) => permissionEntry(key as Permission).dangerous);
        if (!dangerous || verdict(granter, given) !== 'may') return;
        expect(granter.via).toEqual(session);
      }),
      { numRuns: 500 },
    );
  });

  test('a page marks a policy as the guards decide, except for the age of the authentication', () => {
    const codes: Readonly<Record<string, string>> = {
      owner_required: 'owner_required',
      grant_exceeds_own: 'exceeds_own',
      session_required: 'session_required',
    };
    const writer = held(granting('permission_policy.write'));
    const writing = anyGranter
      .map((granter) => ({
        ...granter,
        grants: [...granter.grants, ...grantsFromPolicies([writer], false)],
      }))
      .filter(
        (granter) =>
          authorize(granter, 'permission_policy.write', { kind: 'organization' }).allowed,
      );
    fc.assert(
      fc.property(writing, anyTerms, (granter, given) => {
        const placed: PlacedPolicy = {
          terms: given,
          source: 'manual',
          inherited: false,
          closed: undefined,
          keepsLastOwner: false,
        };
        expect(policyReadOnlyReason(granter, placed)).toBe(codes[verdict(granter, given)]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the reason why a policy is read-only', () => {
  const placed: PlacedPolicy = {
    terms: granting('agent.read'),
    source: 'manual',
    inherited: false,
    closed: undefined,
    keepsLastOwner: false,
  };

  test.each([
    [
      'inherited',
      { inherited: true, source: 'directory' as const, closed: 'membership_removed' as const },
    ],
    ['directory_managed', { source: 'directory' as const, closed: 'membership_removed' as const }],
    ['membership_removed', { closed: 'membership_removed' as const }],
    ['team_archived', { closed: 'team_archived' as const }],
    ['last_owner', { keepsLastOwner: true, terms: ownership }],
  ])('is %s', (reason, differs) => {
    expect(policyReadOnlyReason(member({ isOwner: true }), { ...placed, ...differs })).toBe(reason);
  });

  test('is permission_policy_write_missing for a caller who may only read', () => {
    expect(policyReadOnlyReason(member({ policies: [held(granting('agent.read'))] }), placed)).toBe(
      'permission_policy_write_missing',
    );
  });
});
