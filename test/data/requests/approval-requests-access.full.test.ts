/**
 * A list shows exactly what a single read and a decision allow: the SQL of the queue matches the
 * rules of the domain.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import type { QueueReader, QueueScope } from '../../../src/data/requests/queue/access.ts';
import {
  countQueue,
  findChanges,
  listPendingIds,
} from '../../../src/data/requests/queue/changes.ts';
import { listQueue } from '../../../src/data/requests/queue/list.ts';
import { findRequest } from '../../../src/data/requests/read.ts';
import { readView } from '../../../src/data/requests/engine/view.ts';
import type { ApprovalRequest } from '../../../src/domain/requests/approval-requests.ts';
import {
  grantsFromPolicies,
  type MemberPrincipal,
  type PolicyGrants,
} from '../../../src/domain/people/authorization.ts';
import type { Permission } from '../../../src/domain/people/permissions.ts';
import {
  listAccess,
  mayDecide,
  maySee,
  type Audience,
} from '../../../src/domain/requests/request-access.ts';
import { findMemberWithPolicies } from '../../../src/data/people/memberships.ts';
import { decidersOfRequest } from '../../../src/domain/requests/engine/view.ts';
import { loadPath } from '../../../src/services/engine/documents.ts';
import { readAudience } from '../../../src/services/requests/audience.ts';
import { scene } from '../../support/scene.ts';
import {
  activatePath,
  createAgent,
  createMember,
  createTeam,
  grant,
  type Policy,
  type TestMember,
} from '../../support/scene/factories.ts';

const PERMISSIONS: readonly Permission[] = [
  'request.read',
  'request.read.unrouted',
  'request.decide',
  'request.decide.unrouted',
];
const SCOPES: readonly QueueScope[] = ['notified', 'decidable', 'visible'];

interface Seen {
  readonly request: ApprovalRequest;
  readonly routed: Audience;
  readonly notified: ReadonlySet<string>;
}

const { app, organization } = await scene();

describe('the queue and the rules of access', () => {
  let agentSlugs: string[];
  let members: TestMember[];
  let requests: Seen[];

  /** Two live teams, and one that is archived after paths named it. */
  let teams: readonly [string, string, string];

  interface People {
    readonly notified: readonly string[];
    readonly added: readonly string[];
  }

  /** A request on the path that notified some people, with others added by hand. */
  async function insertRequest(
    agentSlug: string,
    revisionId: string | undefined,
    { notified, added }: People,
  ): Promise<Seen> {
    const id = randomUUID();
    const now = new Date();
    const instance = await app
      .db('agent_instances')
      .where({ agent_slug: agentSlug })
      .first<{ id: string; name: string }>('id', 'name');
    const credential = await app
      .db('agent_credentials')
      .where({ agent_instance_id: instance.id })
      .first<{ id: string }>('id');
    await app.db('approval_requests').insert({
      id,
      organization_id: organization.id,
      agent_slug: agentSlug,
      agent_name: agentSlug,
      agent_instance_id: instance.id,
      agent_instance_name: instance.name,
      agent_credential_id: credential.id,
      tool: 'deploy',
      arguments: '{}',
      timeout: '1h',
      idempotency_key: id,
      state: 'pending',
      created_at: now,
      deadline_at: new Date(now.getTime() + 3_600_000),
      updated_at: now,
      last_at: now,
      routed_at: now,
      route_source: revisionId === undefined ? 'no_escalation' : 'pipeline_default',
      route_scope: 'agent',
      escalation_path_revision_id: revisionId ?? null,
    });
    const common = { request_id: id, organization_id: organization.id };
    const [addedBy] = members.map(({ membershipId }) => membershipId);
    await app.db.transaction(async (trx) => {
      const step = { request_id: id, step_key: 'step', run: 1, kind: 'notified', at: now };
      await trx('escalation_steps').insert(step);
      const asked = { ...common, step_key: 'step', created_at: now };
      for (const membership_id of notified)
        await trx('notifications').insert({ ...asked, id: randomUUID(), membership_id });
      for (const membership_id of added)
        await trx('added_reviewers').insert({
          ...{ request_id: id, membership_id },
          ...{ added_by_membership_id: addedBy, added_at: now },
        });
    });
    const request = (await findRequest(app.db, id))?.request;
    if (!request) throw new Error('the request is not there');
    return { request, routed: await readAudience(app.db, request), notified: new Set(notified) };
  }

  beforeAll(async () => {
    agentSlugs = [];
    for (let n = 0; n < 3; n += 1) agentSlugs.push((await createAgent(app, organization)).slug);
    members = [];
    for (let n = 0; n < 3; n += 1) members.push(await createMember(app, organization.id));
    const team = () => createTeam(app, organization.id);
    teams = [await team(), await team(), await team()];
    const user = (index: number) => ({ type: 'user', id: members[index]?.membershipId });
    const named = [
      ...members.map((_, index) => user(index)),
      ...teams.map((id) => ({ type: 'team', id })),
    ];
    const drawn = fc.sample(
      fc.array(fc.subarray(named, { minLength: 1 }), { minLength: 1, maxLength: 3 }),
      { numRuns: 8, seed: 5 },
    );
    const paths: Record<string, (readonly object[])[]> = {
      ...Object.fromEntries(drawn.map((levels, index) => [`drawn-${index}`, levels])),
      first: [[user(0)]],
      both: [[user(0)], [user(1)]],
      all: [[{ type: 'broadcast' }]],
      mixed: [[user(1)], [{ type: 'broadcast' }, user(2)]],
    };
    const revisions: (string | undefined)[] = [undefined];
    for (const [key, levels] of Object.entries(paths)) {
      const nodes = levels.map((targets) => ({
        id: randomUUID(),
        type: 'level',
        targets,
        escalate_after: '10m',
      }));
      revisions.push(await activatePath(organization.owner, { path_key: key, name: key, nodes }));
    }
    await app
      .db('teams')
      .where({ id: teams[2] })
      .update({ archived_at: app.db.raw('clock_timestamp()') });
    requests = [];
    const some = fc.subarray(members.map((each) => each.membershipId));
    const people = fc.sample(fc.record({ notified: some, added: some }), {
      numRuns: agentSlugs.length * revisions.length,
      seed: 7,
    });
    for (const agentSlug of agentSlugs) {
      for (const revisionId of revisions) {
        requests.push(
          await insertRequest(
            agentSlug,
            revisionId,
            people[requests.length] ?? { notified: [], added: [] },
          ),
        );
      }
    }
  });
  /** As a step reads them. */
  async function decidersOf(id: string): Promise<ReadonlySet<string>> {
    const people = { pathKeys: [], cap: 1_000 };
    const view = await readView(app.db, id, { texts: false, people });
    if (!view) throw new Error('the request is not there');
    return decidersOfRequest(view, await loadPath(app.db, view));
  }

  interface Who {
    readonly member: number;
    readonly policies: readonly PolicyGrants[];
    readonly isOwner: boolean;
    readonly scopedTo: readonly Permission[] | null;
    /** Indexes into `teams`. */
    readonly memberOf: readonly number[];
  }

  /** Puts the member into exactly these teams, and reads which of them are live. */
  async function join({ member, memberOf }: Who): Promise<readonly string[]> {
    const { membershipId = '' } = members[member] ?? {};
    await app.db('team_members').where({ membership_id: membershipId }).delete();
    const created_at = new Date();
    const rows = memberOf.map((place) => ({
      team_id: teams[place],
      membership_id: membershipId,
      source: 'manual',
      created_at,
    }));
    if (rows.length > 0) await app.db('team_members').insert(rows);
    return (await findMemberWithPolicies(app.db, organization.id, membershipId))?.teamIds ?? [];
  }

  function principal(who: Who, teamIds: readonly string[]) {
    const {
      membershipId = '',
      userId = '',
      displayName = '',
      email = '',
    } = members[who.member] ?? {};
    return {
      kind: 'member',
      organizationId: organization.id,
      membershipId,
      userId,
      displayName,
      email,
      isOwner: who.isOwner,
      grants: grantsFromPolicies(who.policies, who.isOwner),
      requiresMfa: false,
      accessVersion: 0,
      teamIds,
      via: { kind: 'api_key', keyId: randomUUID(), scopedTo: who.scopedTo },
      auth: { method: 'api_key', assurance: 'single_factor', authenticated_at: new Date() },
    } satisfies MemberPrincipal;
  }

  function allowed(
    who: MemberPrincipal,
    scope: QueueScope,
    { request, routed, notified }: Seen,
  ): boolean {
    if (scope === 'visible') return maySee(who, request, routed);
    return (
      mayDecide(who, request, routed) && (scope === 'decidable' || notified.has(who.membershipId))
    );
  }

  const permissions = fc.subarray([...PERMISSIONS]);
  const organizationWide = permissions.map((keys): PolicyGrants => ({
    scope_kind: 'organization',
    resource_ids: [],
    permissions: keys,
  }));
  const forAgents = fc
    .tuple(fc.subarray([0, 1, 2], { minLength: 1 }), permissions)
    .map(([indices, keys]): PolicyGrants => ({
      scope_kind: 'agent',
      resource_ids: indices.map((index) => agentSlugs[index] ?? ''),
      permissions: keys,
    }));
  const who = fc.record({
    member: fc.nat({ max: 2 }),
    policies: fc.array(fc.oneof(organizationWide, forAgents), { maxLength: 3 }),
    isOwner: fc.constantFrom(false, false, false, true),
    scopedTo: fc.option(fc.subarray([...PERMISSIONS]), { nil: null }),
    memberOf: fc.subarray([0, 1, 2]),
  });

  test('list exactly what may be seen, what may be decided, or what was notified and may be decided, for any grants and routes', async () => {
    let listed = 0;
    await fc.assert(
      fc.asyncProperty(
        who,
        fc.option(fc.nat({ max: 2 }), { nil: undefined }),
        async (drawn, agent) => {
          const teamIds = await join(drawn);
          expect(teamIds).not.toContain(teams[2]);
          const caller = principal(drawn, teamIds);
          const agentSlug = agent === undefined ? undefined : agentSlugs[agent];
          for (const scope of SCOPES) {
            const filter = { access: listAccess(caller), scope, agentSlug, limit: 200, offset: 0 };
            const { entries } = await listQueue(app.db, organization.id, filter);
            const shown = entries.first.map(({ request }) => request.id);
            const expected = requests
              .filter(({ request }) => agentSlug === undefined || request.agentSlug === agentSlug)
              .filter((seen) => allowed(caller, scope, seen))
              .map(({ request }) => request.id);
            expect([...shown].sort()).toEqual([...expected].sort());
            listed += shown.length;
            if (agentSlug === undefined)
              expect(await otherReads(filter)).toEqual([...expected].sort());
          }
        },
      ),
      { numRuns: 40 },
    );
    expect(listed).toBeGreaterThan(0);
  });

  /** Who is in the scope for changes, for ids and for counts. They must agree. */
  async function otherReads(reader: QueueReader): Promise<readonly string[]> {
    const all = { reader, after: '1:1:', limit: 500 };
    const { found } = await findChanges(app.db, organization.id, all);
    const ids = await listPendingIds(app.db, organization.id, all);
    const counts = await countQueue(app.db, organization.id, { ...reader, atMost: 500 });
    const changed = found.map(({ id }) => id).sort();
    expect([...ids].sort()).toEqual(changed);
    expect(counts[reader.scope]).toBe(changed.length);
    return changed;
  }

  /** Gives the member exactly these policies. A suspended member keeps them. */
  async function hold({ member, policies, isOwner }: Who, status: string): Promise<string> {
    const { membershipId = '' } = members[member] ?? {};
    await app.db('memberships').where({ id: membershipId }).update({ status });
    await app.db('permission_policies').where({ membership_id: membershipId }).delete();
    const owning = isOwner ? [{ scope_kind: 'organization', is_owner: true } as const] : [];
    for (const policy of [...policies, ...owning])
      await grant(app.db, organization.id, { membershipId, policy: policy as Policy });
    return membershipId;
  }

  test('are the rules by which a request checks whether a person may still decide it, for any grants and routes', async () => {
    const anyone = { member: 0, policies: [], scopedTo: null, memberOf: [] };
    const seen = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(
        who,
        fc.constantFrom('active', 'active', 'active', 'suspended'),
        async (drawn, status) => {
          const caller = principal({ ...drawn, scopedTo: null }, await join(drawn));
          const membershipId = await hold(drawn, status);
          for (const { request, routed } of requests) {
            const may = (await decidersOf(request.id)).has(membershipId);
            expect(may).toBe(status === 'active' && mayDecide(caller, request, routed));
            seen.add(may);
          }
        },
      ),
      {
        numRuns: 10,
        examples: [
          [{ ...anyone, isOwner: true }, 'active'],
          [{ ...anyone, isOwner: false }, 'active'],
        ],
      },
    );
    expect(seen.size).toBe(2);
  });
});
