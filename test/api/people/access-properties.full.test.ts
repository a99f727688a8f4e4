/** For any grants (own, through teams, an organization key's) and any credential: endpoints, lists and keys agree with models. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  effectiveGrants,
  effectivePermissions,
  grantsFromPolicies,
  type MemberPrincipal,
} from '../../../src/domain/people/authorization.ts';
import {
  isPermission,
  isValidScope,
  mayHold,
  permissions,
  type Permission,
  type PermissionHolder,
} from '../../../src/domain/people/permissions.ts';
import { appForFile } from '../../support/scene.ts';
import type { HttpClient } from '../../support/http.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
  grant,
  type Policy,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { idOf } from '../../support/tokens.ts';

const app = await appForFile({
  environment: { COUNTERSIGN_EDITION: 'hosted', COUNTERSIGN_RATE_LIMIT: '0' },
});

describe('what a key reports', () => {
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

  let organization: TestOrganization;
  let member: TestMember;
  let teams: { readonly live: string; readonly archived: string };

  beforeAll(async () => {
    organization = await createOrganization(app);
    member = await createMember(app, organization.id);
    for (const slug of AGENTS) await createAgent(app, organization, slug);
    teams = {
      live: await createTeam(app, organization.id, { members: [member] }),
      archived: await createTeam(app, organization.id, { members: [member] }),
    };
    await app.db('teams').where({ id: teams.archived }).update({ archived_at: new Date() });
  });

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
    scopedTo: fc.option(fc.uniqueArray(keyArbitrary, { minLength: 1, maxLength: 5 }), {
      nil: null,
    }),
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
      accessVersion: 0,
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
      { numRuns: 12 },
    );
  });
});

describe('what a list shows', () => {
  const PERMISSIONS = [
    'agent.read',
    'pipeline.read',
    'team.read',
    'request.read',
    'request.read.unrouted',
    'request.decide',
    'request.decide.unrouted',
    'organization.read',
  ] as const satisfies readonly Permission[];

  let organization: TestOrganization;
  let member: TestMember;
  let key: { readonly id: string; readonly http: HttpClient };
  let agentSlugs: string[];
  /** One with the member, one without, and an archived one with the member. */
  let teamIds: string[];
  /** One request of each agent, without an escalation path. */
  let requestIds: string[];

  beforeAll(async () => {
    organization = await createOrganization(app);
    member = await createMember(app, organization.id);
    key = await createOrganizationKey(app, organization);
    const agents = [
      await createAgent(app, organization),
      await createAgent(app, organization),
      await createAgent(app, organization),
    ];
    agentSlugs = agents.map(({ slug }) => slug);
    requestIds = [];
    for (const agent of agents) requestIds.push(await ask(app, agent));
    const withMember = { members: [member] };
    teamIds = [
      await createTeam(app, organization.id, withMember),
      await createTeam(app, organization.id),
      await createTeam(app, organization.id, withMember),
    ];
    await app
      .db('teams')
      .where({ id: teamIds[2] ?? '' })
      .update({ archived_at: new Date() });
  });

  interface Scene {
    readonly own: readonly Policy[];
    /** The policies of each team. */
    readonly ofTeams: readonly (readonly Policy[])[];
    readonly ofKey: readonly Policy[];
    readonly scopedTo: readonly Permission[] | null;
  }

  function scenes(): fc.Arbitrary<Scene> {
    const chosen = fc.subarray([...PERMISSIONS], { minLength: 1 });
    const indices = fc.subarray([0, 1, 2], { minLength: 1 });
    const policy: fc.Arbitrary<Policy> = fc.oneof(
      chosen.map((permissions) => ({ scope_kind: 'organization' as const, permissions })),
      fc.tuple(chosen, indices).map(([permissions, at]) => ({
        scope_kind: 'agent' as const,
        resource_ids: at.map((n) => agentSlugs[n] ?? ''),
        permissions,
      })),
      fc.tuple(chosen, indices).map(([permissions, at]) => ({
        scope_kind: 'team' as const,
        resource_ids: at.map((n) => teamIds[n] ?? ''),
        permissions,
      })),
    );
    const policies = fc.array(policy, { maxLength: 2 });
    return fc.record({
      own: policies,
      ofTeams: fc.array(policies, { minLength: 3, maxLength: 3 }),
      ofKey: policies,
      scopedTo: fc.option(fc.subarray([...PERMISSIONS]), { nil: null }),
    });
  }

  async function set({ own, ofTeams, ofKey, scopedTo }: Scene): Promise<void> {
    const { id: organizationId, owner } = organization;
    const { membershipId } = member;
    await app
      .db('permission_policies')
      .where({ organization_id: organizationId })
      .whereRaw('membership_id is distinct from ?', [owner.membershipId])
      .delete();
    for (const policy of own) await grant(app.db, organizationId, { membershipId, policy });
    for (const [index, policies] of ofTeams.entries()) {
      for (const policy of policies)
        await grant(app.db, organizationId, { teamId: teamIds[index] ?? '', policy });
    }
    for (const policy of ofKey) await grant(app.db, organizationId, { apiKeyId: key.id, policy });
    await app
      .db('api_keys')
      .where({ membership_id: membershipId })
      .update({ permissions: scopedTo && [...scopedTo] });
  }

  type Where = { readonly scope: 'agent' | 'team'; readonly id: string } | 'anywhere';
  type Holds = (permission: Permission, where: Where) => boolean;

  function holder(
    kind: PermissionHolder,
    policies: readonly Policy[],
    scopedTo: readonly Permission[] | null = null,
  ): Holds {
    const grants = (
      { scope_kind, resource_ids, permissions }: Policy,
      permission: Permission,
      where: Where,
    ) =>
      permissions?.includes(permission) === true &&
      isValidScope(permission, scope_kind) &&
      (where === 'anywhere' ||
        scope_kind === 'organization' ||
        (scope_kind === where.scope && resource_ids?.includes(where.id) === true));
    return (permission, where) =>
      mayHold(kind, permission) &&
      (scopedTo === null || scopedTo.includes(permission)) &&
      policies.some((policy) => grants(policy, permission, where));
  }

  interface Listing {
    readonly list: string;
    /** The path of one object. */
    readonly read: (id: string) => string;
    readonly ids: () => readonly string[];
    readonly idsIn: (body: Record<string, never>) => readonly string[];
    readonly permission: Permission;
    readonly shows: (holds: Holds, id: string) => boolean;
  }

  const listings: readonly Listing[] = [
    {
      list: '/api/v1/agents',
      read: (slug) => `/api/v1/agents/${slug}`,
      ids: () => agentSlugs,
      idsIn: (body) =>
        (body as unknown as { agents: { slug: string }[] }).agents.map(({ slug }) => slug),
      permission: 'agent.read',
      shows: (holds, id) => holds('agent.read', { scope: 'agent', id }),
    },
    {
      list: '/api/v1/teams?status=all',
      read: (id) => `/api/v1/teams/${id}`,
      ids: () => teamIds,
      idsIn: (body) => (body as unknown as { teams: { id: string }[] }).teams.map(({ id }) => id),
      permission: 'team.read',
      shows: (holds, id) => holds('team.read', { scope: 'team', id }),
    },
    {
      list: '/api/v1/request-approval-pipelines',
      read: (slug) => `/api/v1/request-approval-pipelines/agents/${slug}`,
      ids: () => agentSlugs,
      idsIn: (body) =>
        (
          body as unknown as { request_approval_pipelines: { agent_slug?: string }[] }
        ).request_approval_pipelines.flatMap(({ agent_slug: slug }) =>
          slug === undefined ? [] : [slug],
        ),
      permission: 'pipeline.read',
      shows: (holds, id) => holds('pipeline.read', { scope: 'agent', id }),
    },
    {
      list: '/api/v1/requests',
      read: (id) => `/api/v1/requests/${id}`,
      ids: () => requestIds,
      idsIn: (body) =>
        (body as unknown as { requests: { id: string }[] }).requests.map(({ id }) => id),
      permission: 'request.read',
      shows: (holds, id) => {
        const where = { scope: 'agent', id: agentSlugs[requestIds.indexOf(id)] ?? '' } as const;
        const keys = ['request.read', 'request.read.unrouted', 'request.decide'] as const;
        return keys.some((permission) => holds(permission, where));
      },
    },
  ];

  test('a list shows exactly the objects that the grants allow and that a single read allows', async () => {
    const shown = { some: 0, none: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(scenes(), async (scene) => {
        await set(scene);
        const ofMember = [...scene.own, ...(scene.ofTeams[0] ?? [])];
        const callers: readonly (readonly [HttpClient, Holds])[] = [
          [member.browser, holder('human', ofMember)],
          [member.http, holder('api_key', ofMember, scene.scopedTo)],
          [key.http, holder('organization_api_key', scene.ofKey)],
        ];
        for (const [http, holds] of callers) {
          for (const { list, read, ids, idsIn, permission, shows } of listings) {
            // By default a session lists its own queue; the model knows what is visible.
            const answer = await http.get(
              list === '/api/v1/requests' ? `${list}?scope=visible` : list,
            );
            const allowed = ids().filter((id) => shows(holds, id));
            const mayList = holds(permission, 'anywhere');
            expect([list, answer.status]).toEqual([list, mayList ? 200 : 403]);
            if (mayList) expect([...idsIn(answer.body)].sort()).toEqual([...allowed].sort());
            shown[mayList ? (allowed.length > 0 ? 'some' : 'none') : 'refused'] += 1;
            const readable = mayList || permission !== 'request.read' ? allowed : [];
            for (const id of ids())
              expect([read(id), (await http.get(read(id))).status]).toEqual([
                read(id),
                readable.includes(id) ? 200 : 403,
              ]);
          }
        }
      }),
      { numRuns: 8 },
    );
    expect(shown.some).toBeGreaterThan(0);
    expect(shown.refused).toBeGreaterThan(0);
  });
});
