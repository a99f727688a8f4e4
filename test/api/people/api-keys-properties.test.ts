/**
 * For any grants, own and through teams, and any scoped key: the key reports what the domain
 * computes and what the endpoints allow.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  effectiveGrants,
  effectivePermissions,
  grantsFromPolicies,
  type MemberPrincipal,
} from '../../../src/domain/people/authorization.ts';
import { isPermission, permissions } from '../../../src/domain/people/permissions.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createTeam,
  grant,
} from '../../support/scene/factories.ts';
import type { Policy, TestMember, TestOrganization } from '../../support/scene/factories.ts';
import { idOf } from '../../support/tokens.ts';

interface Holding {
  readonly own: readonly Policy[];
  readonly live: readonly Policy[];
  /** Of an archived team, so without effect. */
  readonly archived: readonly Policy[];
  readonly isOwner: boolean;
  readonly scopedTo: readonly string[] | null;
}

const AGENTS = ['north', 'south'] as const;
/** The permissions that the calls below need, drawn more often than others. */
const ASKED = [
  'agent.read',
  'pipeline.read',
  'team.read',
  'membership.read',
  'escalation_path.read',
  'request.read',
];

let app: TestApp;
let organization: TestOrganization;
let member: TestMember;
let teams: { readonly live: string; readonly archived: string };

beforeAll(async () => {
  app = await startApp({
    environment: { COUNTERSIGN_EDITION: 'hosted', COUNTERSIGN_RATE_LIMIT: '0' },
  });
  organization = await createOrganization(app);
  member = await createMember(app, organization.id);
  for (const slug of AGENTS) await createAgent(app, organization, slug);
  teams = {
    live: await createTeam(app, organization.id, { members: [member] }),
    archived: await createTeam(app, organization.id, { members: [member] }),
  };
  await app.db('teams').where({ id: teams.archived }).update({ archived_at: new Date() });
});

afterAll(() => app.close());

const keyArbitrary = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ASKED) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...permissions.map(({ key }) => key as string), 'no.longer.known'),
  },
);
const keysArbitrary = fc.uniqueArray(keyArbitrary, { minLength: 1, maxLength: 4 });

const policyArbitrary: fc.Arbitrary<Policy> = fc.oneof(
  keysArbitrary.map((keys) => ({ scope_kind: 'organization' as const, permissions: keys })),
  fc.record({
    scope_kind: fc.constant('agent' as const),
    resource_ids: fc.uniqueArray(fc.constantFrom(...AGENTS), { minLength: 1 }),
    permissions: keysArbitrary,
  }),
  keysArbitrary.map((keys) => ({
    scope_kind: 'team' as const,
    resource_ids: ['THE TEAM'],
    permissions: keys,
  })),
);
const policiesArbitrary = fc.array(policyArbitrary, { maxLength: 2 });

const holdingArbitrary: fc.Arbitrary<Holding> = fc.record({
  own: policiesArbitrary,
  live: policiesArbitrary,
  archived: policiesArbitrary,
  isOwner: fc.boolean().chain((maybe) => (maybe ? fc.boolean() : fc.constant(false))),
  scopedTo: fc.option(fc.uniqueArray(keyArbitrary, { minLength: 1, maxLength: 5 }), { nil: null }),
});

const withTeam = (policies: readonly Policy[]): Policy[] =>
  policies.map((policy) =>
    policy.scope_kind === 'team' ? { ...policy, resource_ids: [teams.live] } : policy,
  );

async function give({ own, live, archived, isOwner, scopedTo }: Holding): Promise<void> {
  const { membershipId } = member;
  await app.db('permission_policies').where({ membership_id: membershipId }).delete();
  await app.db('permission_policies').whereIn('team_id', [teams.live, teams.archived]).delete();
  for (const policy of own) await grant(app.db, organization.id, { membershipId, policy });
  if (isOwner)
    await grant(app.db, organization.id, {
      membershipId,
      policy: { scope_kind: 'organization', is_owner: true },
    });
  for (const policy of live) await grant(app.db, organization.id, { teamId: teams.live, policy });
  for (const policy of archived)
    await grant(app.db, organization.id, { teamId: teams.archived, policy });
  await app
    .db('api_keys')
    .where({ membership_id: membershipId })
    .update({ permissions: scopedTo === null ? null : [...scopedTo] });
}

/** The key's holder as the domain sees them. */
function principalOf({ own, live, isOwner, scopedTo }: Holding): MemberPrincipal {
  const policies = [...own, ...live].map(
    ({ scope_kind, resource_ids = [], permissions: keys = [] }) => {
      return { scope_kind, resource_ids, permissions: keys };
    },
  );
  return {
    kind: 'member',
    organizationId: organization.id,
    membershipId: member.membershipId,
    userId: member.userId,
    displayName: member.displayName,
    email: member.email,
    isOwner,
    grants: grantsFromPolicies(policies, isOwner),
    teamIds: [teams.live],
    requiresMfa: false,
    via: {
      kind: 'api_key',
      keyId: member.apiKey,
      scopedTo: scopedTo?.filter(isPermission) ?? null,
    },
    auth: { method: 'api_key', assurance: 'single_factor', authenticated_at: new Date(0) },
  };
}

/** A model without the domain: a policy grants it there, and the key's list contains it. */
function allowed(
  { own, live, isOwner, scopedTo }: Holding,
  permission: string,
  at: string,
): boolean {
  if (scopedTo !== null && !scopedTo.includes(permission)) return false;
  if (isOwner) return true;
  const scopes = permissions.find(({ key }) => key === permission)?.scopes ?? [];
  return [...own, ...live].some(
    ({ scope_kind, resource_ids, permissions: keys }) =>
      keys?.includes(permission) &&
      scopes.includes(scope_kind) &&
      (at === 'anywhere' || scope_kind === 'organization' || resource_ids?.includes(at)),
  );
}

test('a personal key carries exactly what its member holds within its list', async () => {
  const calls = () => [
    ['/api/v1/agents', 'agent.read', 'anywhere'] as const,
    ...AGENTS.map((slug) => [`/api/v1/agents/${slug}`, 'agent.read', slug] as const),
    ...AGENTS.map(
      (slug) =>
        [`/api/v1/request-approval-pipelines/agents/${slug}`, 'pipeline.read', slug] as const,
    ),
    [`/api/v1/teams/${teams.live}`, 'team.read', teams.live] as const,
    ['/api/v1/members', 'membership.read', 'organization'] as const,
    ['/api/v1/escalation-paths', 'escalation_path.read', 'organization'] as const,
  ];
  await fc.assert(
    fc.asyncProperty(holdingArbitrary, async (generated) => {
      const { own, live, archived } = generated;
      const holding = {
        ...generated,
        own: withTeam(own),
        live: withTeam(live),
        archived: withTeam(archived),
      };
      await give(holding);
      const principal = principalOf(holding);
      const { body } = await member.http.get('/api/v1/api_keys/verify');
      expect([body['permissions'], body['effective_grants']]).toEqual([
        effectivePermissions(principal, 'hosted'),
        effectiveGrants(principal, 'hosted'),
      ]);
      const detail = await organization.owner.browser.get(
        `/api/v1/api_keys/${idOf(member.apiKey)}`,
      );
      expect(detail.body['key']?.['effective_grants']).toEqual(
        effectiveGrants(principal, 'hosted'),
      );
      for (const [path, permission, at] of calls()) {
        const { status } = await member.http.get(path);
        expect([path, status]).toEqual([path, allowed(holding, permission, at) ? 200 : 403]);
      }
    }),
    { numRuns: 40 },
  );
});
