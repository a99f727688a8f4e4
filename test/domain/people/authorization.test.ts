/** What each kind of credential may do, and where. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  authorize,
  effectiveGrants,
  effectivePermissions,
  grantsFromPolicies,
  scopeOf,
} from '../../../src/domain/people/authorization.ts';
import type {
  AgentPrincipal,
  AuthorizationTarget,
  MemberPrincipal,
  PolicyGrants,
  Principal,
} from '../../../src/domain/people/authorization.ts';
import { permissions } from '../../../src/domain/people/permissions.ts';
import type { Grant, Permission } from '../../../src/domain/people/permissions.ts';

const at = new Date('2026-03-01T12:00:00.000Z');
const session = { kind: 'session', sessionId: 's1', isRecent: true } as const;
const key = (scopedTo: readonly Permission[] | null) =>
  ({ kind: 'api_key', keyId: 'k1', scopedTo }) as const;

function member(grants: readonly Grant[], via: MemberPrincipal['via'] = session): MemberPrincipal {
  const person = {
    membershipId: 'm1',
    userId: 'u1',
    displayName: 'Ada',
    email: 'ada@example.com',
    isOwner: false,
    requiresMfa: false,
    accessVersion: 0,
    teamIds: [],
  };
  const auth = {
    method: 'local_password',
    assurance: 'single_factor',
    authenticated_at: at,
  } as const;
  return { kind: 'member', organizationId: 'o1', ...person, grants, via, auth };
}

const owner = (via: MemberPrincipal['via'] = session): MemberPrincipal => ({
  ...member(grantsFromPolicies([], true), via),
  isOwner: true,
});

const agent: AgentPrincipal = {
  kind: 'agent',
  organizationId: 'o1',
  agentSlug: 'payments',
  agentName: 'Payments',
  instanceId: 'i1',
  instanceName: 'one',
  resume: 'instance',
  approvalWindow: 300,
  credentialId: 'c1',
  auth: {
    method: 'agent_credential',
    assurance: 'single_factor',
    authenticated_at: at,
    credential_id: 'c1',
  },
};

const organization = { kind: 'organization' } as const;
const any = { kind: 'any' } as const;
const onAgent = (slug: string) => ({ kind: 'agent', slug }) as const;
const onTeam = (id: string) => ({ kind: 'team', id }) as const;
const reason = (principal: Principal, permission: Permission, target: AuthorizationTarget) => {
  const result = authorize(principal, permission, target);
  return result.allowed ? 'allowed' : result.forbidden.reason;
};

describe('a signed-in person', () => {
  test('with a grant for the organization may act on the organization and everything in it', () => {
    const person = member([{ permission: 'request.decide', scope_kind: 'organization' }]);
    for (const target of [organization, any, onAgent('payments'), onTeam('t1')]) {
      expect(authorize(person, 'request.decide', target)).toEqual({ allowed: true });
    }
  });

  test('with a grant for an agent may act only on that agent', () => {
    const person = member([
      { permission: 'request.decide', scope_kind: 'agent', scope_id: 'payments' },
    ]);
    expect(reason(person, 'request.decide', onAgent('payments'))).toBe('allowed');
    expect(reason(person, 'request.decide', any)).toBe('allowed');
    expect(reason(person, 'request.decide', onAgent('payments-2'))).toBe('outside_scope');
    expect(reason(person, 'request.decide', onTeam('payments'))).toBe('outside_scope');
    expect(reason(person, 'request.decide', organization)).toBe('outside_scope');
    expect(reason(person, 'request.read', onAgent('payments'))).toBe('missing_permission');
  });

  test('with a grant for a team may act only on that team', () => {
    const person = member([{ permission: 'team.write', scope_kind: 'team', scope_id: 't1' }]);
    expect(reason(person, 'team.write', onTeam('t1'))).toBe('allowed');
    expect(reason(person, 'team.write', onTeam('t2'))).toBe('outside_scope');
    expect(reason(person, 'team.write', onAgent('t1'))).toBe('outside_scope');
    expect(reason(person, 'team.write', organization)).toBe('outside_scope');
  });

  test('reads which permission was missing and where', () => {
    const person = member([
      { permission: 'agent.read', scope_kind: 'agent', scope_id: 'payments' },
    ]);
    expect(authorize(person, 'agent.read', onAgent('mail'))).toEqual({
      allowed: false,
      forbidden: {
        permission: 'agent.read',
        scope_kind: 'agent',
        scope_id: 'mail',
        reason: 'outside_scope',
      },
    });
    expect(authorize(person, 'team.read', onTeam('t1'))).toEqual({
      allowed: false,
      forbidden: {
        permission: 'team.read',
        scope_kind: 'team',
        scope_id: 't1',
        reason: 'missing_permission',
      },
    });
    for (const target of [organization, any]) {
      const result = authorize(person, 'team.read', target);
      expect(result).toStrictEqual({
        allowed: false,
        forbidden: {
          permission: 'team.read',
          scope_kind: 'organization',
          reason: 'missing_permission',
        },
      });
    }
  });

  test('can never ask for approval as an agent, even as an owner', () => {
    expect(reason(owner(), 'request.create', organization)).toBe('credential_kind');
    expect(
      reason(
        member([{ permission: 'request.create', scope_kind: 'organization' }]),
        'request.create',
        any,
      ),
    ).toBe('credential_kind');
    expect(
      scopeOf(
        member([{ permission: 'request.create', scope_kind: 'organization' }]),
        'request.create',
      ),
    ).toBeUndefined();
  });
});

describe('an owner', () => {
  test('may do everything a person can, everywhere', () => {
    for (const entry of permissions.filter((each) => each.holders.includes('human'))) {
      expect(reason(owner(), entry.key, organization)).toBe('allowed');
      expect(scopeOf(owner(), entry.key)).toEqual({ all: true });
    }
    expect(effectivePermissions(owner(), 'hosted')).toHaveLength(39);
  });

  test('holds in the open edition what that edition serves', () => {
    const held = effectivePermissions(owner(), 'open');
    expect(held).toHaveLength(35);
    for (const permission of ['audit.read', 'gateway.read', 'api_key.organization.issue'] as const)
      expect(held).not.toContain(permission);
  });
});

describe('a personal key', () => {
  test('carries what its member holds and a key can carry', () => {
    const byKey = owner(key(null));
    expect(reason(byKey, 'request.decide', organization)).toBe('allowed');
    for (const permission of [
      'api_key.issue',
      'api_key.read',
      'api_key.revoke',
      'api_key.organization.issue',
    ] as const) {
      expect(reason(byKey, permission, any)).toBe('credential_kind');
      expect(effectivePermissions(byKey, 'hosted')).not.toContain(permission);
    }
    expect(effectivePermissions(byKey, 'hosted')).toHaveLength(35);
  });

  test('scoped carries only the listed permissions that its member still holds', () => {
    const grants: Grant[] = [
      { permission: 'request.read', scope_kind: 'agent', scope_id: 'payments' },
      { permission: 'agent.read', scope_kind: 'organization' },
    ];
    const byKey = member(grants, key(['request.read', 'request.decide', 'api_key.issue']));
    expect(reason(byKey, 'request.read', onAgent('payments'))).toBe('allowed');
    expect(reason(byKey, 'request.decide', onAgent('payments'))).toBe('missing_permission');
    expect(reason(byKey, 'agent.read', organization)).toBe('key_narrowed');
    expect(reason(byKey, 'api_key.issue', organization)).toBe('credential_kind');
    expect(effectiveGrants(byKey, 'hosted')).toEqual([grants[0]]);
    expect(scopeOf(byKey, 'agent.read')).toBeUndefined();
  });

  test('scoped to no permission allows nothing', () => {
    expect(effectivePermissions(owner(key([])), 'hosted')).toEqual([]);
    expect(reason(owner(key([])), 'request.read', any)).toBe('key_narrowed');
  });
});

describe('an agent', () => {
  test('may ask and read only for itself, and never decide', () => {
    expect(reason(agent, 'request.create', onAgent('payments'))).toBe('allowed');
    expect(reason(agent, 'request.read', onAgent('payments'))).toBe('allowed');
    expect(reason(agent, 'request.create', onAgent('mail'))).toBe('outside_scope');
    expect(reason(agent, 'request.create', organization)).toBe('outside_scope');
    expect(reason(agent, 'request.decide', onAgent('payments'))).toBe('credential_kind');
    expect(scopeOf(agent, 'request.read')).toEqual({
      all: false,
      agentSlugs: ['payments'],
      teamIds: [],
    });
    expect(effectivePermissions(agent, 'hosted')).toEqual(['request.create', 'request.read']);
  });
});

describe('grants from policies', () => {
  test('are one for each permission and resource, sorted, without duplicates', () => {
    const policies: PolicyGrants[] = [
      {
        scope_kind: 'agent',
        resource_ids: ['b', 'a'],
        permissions: ['request.read', 'request.decide'],
      },
      { scope_kind: 'organization', resource_ids: [], permissions: ['agent.read'] },
      { scope_kind: 'agent', resource_ids: ['a'], permissions: ['request.read'] },
    ];
    expect(grantsFromPolicies(policies, false)).toEqual([
      { permission: 'agent.read', scope_kind: 'organization' },
      { permission: 'request.decide', scope_kind: 'agent', scope_id: 'a' },
      { permission: 'request.decide', scope_kind: 'agent', scope_id: 'b' },
      { permission: 'request.read', scope_kind: 'agent', scope_id: 'a' },
      { permission: 'request.read', scope_kind: 'agent', scope_id: 'b' },
    ]);
  });

  test('leave out unknown permissions and scopes that a permission does not have', () => {
    const policies: PolicyGrants[] = [
      {
        scope_kind: 'agent',
        resource_ids: ['a'],
        permissions: ['organization.delete', 'team.read', 'no.such', '__proto__'],
      },
      { scope_kind: 'team', resource_ids: ['t'], permissions: ['request.decide'] },
    ];
    expect(grantsFromPolicies(policies, false)).toEqual([]);
  });

  test('of a scope without resources are empty', () => {
    expect(
      grantsFromPolicies(
        [{ scope_kind: 'agent', resource_ids: [], permissions: ['request.read'] }],
        false,
      ),
    ).toEqual([]);
  });
});

describe('checks and list filters', () => {
  const permission = fc.constantFrom<Permission>(
    'request.read',
    'request.decide',
    'team.read',
    'team.write',
    'organization.read',
    'api_key.issue',
  );
  const policy = fc.record({
    scope_kind: fc.constantFrom('organization' as const, 'team' as const, 'agent' as const),
    resource_ids: fc.subarray(['a', 'b', 'c']),
    permissions: fc.array(permission, { maxLength: 4 }),
  });
  const via = fc.oneof(
    fc.constant(session),
    fc.constant(key(null)),
    fc.array(permission, { maxLength: 3 }).map(key),
  );
  const principal: fc.Arbitrary<Principal> = fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(fc.array(policy, { maxLength: 4 }), via)
        .map(([all, by]) => member(grantsFromPolicies(all, false), by)),
    },
    { weight: 1, arbitrary: via.map(owner) },
    { weight: 1, arbitrary: fc.constant({ ...agent, agentSlug: 'a' }) },
  );

  test('a list shows an object exactly when a check on it is allowed', () => {
    fc.assert(
      fc.property(principal, permission, fc.constantFrom('a', 'b', 'c'), (who, what, id) => {
        const scope = scopeOf(who, what);
        expect(authorize(who, what, any).allowed).toBe(scope !== undefined);
        expect(authorize(who, what, organization).allowed).toBe(scope?.all === true);
        expect(authorize(who, what, onAgent(id)).allowed).toBe(
          scope !== undefined && (scope.all || scope.agentSlugs.includes(id)),
        );
        expect(authorize(who, what, onTeam(id)).allowed).toBe(
          scope !== undefined && (scope.all || scope.teamIds.includes(id)),
        );
      }),
      { numRuns: 200 },
    );
  });

  test('effective permissions are those that a check allows at some scope, sorted, without duplicates', () => {
    fc.assert(
      fc.property(principal, (who) => {
        const allowed = permissions
          .map((entry) => entry.key)
          .filter((each) => authorize(who, each, any).allowed);
        expect(effectivePermissions(who, 'hosted')).toEqual(allowed.sort());
      }),
    );
  });

  test('a key may never do what its member may not do by session', () => {
    fc.assert(
      fc.property(fc.array(policy, { maxLength: 4 }), via, permission, (policies, by, what) => {
        const grants = grantsFromPolicies(policies, false);
        for (const target of [organization, any, onAgent('a'), onTeam('a')]) {
          if (authorize(member(grants, by), what, target).allowed)
            expect(reason(member(grants), what, target)).toBe('allowed');
        }
      }),
    );
  });
});
