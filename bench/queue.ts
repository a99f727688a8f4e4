/**
 * The review queue over a full table: each scope, for people who are asked often, rarely and never.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { TOKEN_PREFIX } from '../src/domain/tokens.ts';
import { issueToken } from '../src/platform/crypto/tokens.ts';
import { measure } from './frame/load.ts';
import type { Bench, Figure } from './frame/section.ts';
import { ask, expectStatus, sender, type Parties, type Send } from './frame/service.ts';

const PENDING = 100_000;
const PAST = 2_000_000;
const SCOPES = ['notified', 'decidable', 'visible'] as const;
/**
 * Of a thousand requests, five target a member, five a team and one is a broadcast. The rest belong
 * to other people.
 */
const SHARES = {
  'by name': [0, 4],
  'by team': [5, 9],
  'by broadcast': [10, 10],
  others: [11, 999],
} as const;
type PathName = keyof typeof SHARES;

interface Person {
  readonly membershipId: string;
  readonly send: Send;
}

export async function measureQueue({ service: { url }, parties, db, countOf }: Bench) {
  const [pending, past] = [countOf(PENDING), countOf(PAST)];
  const person = () => createPerson(db, parties, url);
  const [named, inTeam, broadcast, other] = [
    await person(),
    await person(),
    await person(),
    await person(),
  ];
  const team = await createTeam(db, parties, inTeam);
  const paths: Record<PathName, string> = {
    'by name': await createPath(db, parties, { type: 'user', membershipId: named.membershipId }),
    'by team': await createPath(db, parties, { type: 'team', teamId: team }),
    'by broadcast': await createPath(db, parties, { type: 'broadcast' }),
    others: await createPath(db, parties, { type: 'user', membershipId: other.membershipId }),
  };
  await fill(db, parties, { paths, pending, past });
  const all = [named.membershipId, inTeam.membershipId, broadcast.membershipId, other.membershipId];
  await notify(db, parties, { path: paths['by name'], people: [named.membershipId] });
  await notify(db, parties, { path: paths['by team'], people: [inTeam.membershipId] });
  await notify(db, parties, { path: paths['by broadcast'], people: all });
  await db.query('vacuum analyze');

  const figures = await measureLists({
    owner: parties.browser,
    'a member by name': named.send,
    'a member by team': inTeam.send,
    'a member by broadcast': broadcast.send,
    'a member on most': other.send,
  });
  await db.query(`delete from notifications where organization_id = $1`, [parties.organizationId]);
  return figures;
}

async function measureLists(people: Readonly<Record<string, Send>>) {
  const figures: Figure[] = [];
  for (const [name, send] of Object.entries(people)) {
    for (const scope of SCOPES) {
      for (const status of ['', '&status=pending']) {
        const path = `/api/v1/requests?scope=${scope}&limit=50${status}`;
        const call = () => expectStatus(200, send(`GET ${path}`));
        await measure(call, { callers: 1, calls: 5 });
        const { p50, p95 } = await measure(call, { callers: 1, calls: 60 });
        figures.push({
          what: `queue of ${name}, ${scope}${status === '' ? '' : ', pending'}, p50 · p95 (ms)`,
          measured: `${p50} · ${p95}`,
          target: 'p95 < 50',
        });
      }
    }
  }
  return figures;
}

/** A team of one person. Returns its id. */
async function createTeam(
  db: pg.Client,
  { organizationId }: Parties,
  { membershipId }: Person,
): Promise<string> {
  const team = randomUUID();
  await db.query(
    `insert into teams (id, organization_id, name, created_at) values ($1, $2, 'Bench', now())`,
    [team, organizationId],
  );
  await db.query(
    `insert into team_members (team_id, membership_id, source, created_at) values ($1, $2, 'manual', now())`,
    [team, membershipId],
  );
  return team;
}

async function createPerson(
  db: pg.Client,
  { organizationId }: Parties,
  url: string,
): Promise<Person> {
  const [userId, membershipId] = [randomUUID(), randomUUID()];
  const session = issueToken(TOKEN_PREFIX.session);
  await db.query(
    `insert into users (id, email, display_name, created_at) values ($1, $2, 'Person', now())`,
    [userId, `${userId}@example.com`],
  );
  await db.query(
    `insert into memberships (id, organization_id, user_id, status, admission_source, created_at, updated_at)
     values ($1, $2, $3, 'active', 'manual', now(), now())`,
    [membershipId, organizationId, userId],
  );
  await db.query(
    `insert into permission_policies (id, organization_id, membership_id, scope_kind, resource_ids, permissions, is_owner, created_at)
     values ($1, $2, $3, 'organization', '{}', '{request.read,request.decide}', false, now())`,
    [randomUUID(), organizationId, membershipId],
  );
  await db.query(
    `insert into sessions (id, organization_id, membership_id, token_hash, method, assurance, authenticated_at, created_at, last_seen_at, expires_at)
     values ($1, $2, $3, $4, 'local_password', 'single_factor', now(), now(), now(), now() + interval '1 day')`,
    [session.id, organizationId, membershipId, session.hash],
  );
  return {
    membershipId,
    send: sender(url, { cookie: `service_session=${session.token}`, origin: url }),
  };
}

interface PathTarget {
  readonly type: 'user' | 'team' | 'broadcast';
  readonly membershipId?: string;
  readonly teamId?: string;
}

/** Returns the id of the path's only revision. */
async function createPath(
  db: pg.Client,
  { organizationId }: Parties,
  target: PathTarget,
): Promise<string> {
  const [path, revision] = [randomUUID(), randomUUID()];
  const id = target.membershipId ?? target.teamId;
  const targets = [{ type: target.type, ...(id !== undefined && { id }) }];
  const nodes = [
    { id: randomUUID(), type: 'level', targets, escalate_after: '168h', raise_urgency: false },
  ];
  await db.query(
    `insert into escalation_paths (id, organization_id, document_key, latest_revision, created_at) values ($1, $2, $3, 1, now())`,
    [path, organizationId, path],
  );
  await db.query(
    `insert into escalation_path_revisions (id, escalation_path_id, revision, document, created_by_actor_id, created_at)
     values ($1, $2, 1, $3, $2, now())`,
    [revision, path, JSON.stringify({ name: 'Bench', working_hours: [], nodes })],
  );
  await db.query(
    `insert into escalation_path_targets (escalation_path_revision_id, target_type, membership_id, team_id) values ($1, $2, $3, $4)`,
    [revision, target.type, target.membershipId ?? null, target.teamId ?? null],
  );
  return revision;
}

/** Copies of one request. Waiting ones are from the last week, settled ones from the last year. */
async function fill(
  db: pg.Client,
  { adapter }: Parties,
  {
    paths,
    pending,
    past,
  }: { readonly paths: Record<PathName, string>; readonly pending: number; readonly past: number },
): Promise<void> {
  const { id } = await ask(adapter, 'slow');
  const choice = Object.entries(SHARES).map(
    ([name, [from, to]]) =>
      `when n % 1000 between ${from} and ${to} then '${paths[name as PathName]}'::uuid`,
  );
  await db.query(
    `insert into approval_requests (
       id, organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id, tool, server,
       arguments, timeout, idempotency_key, organization_pipeline_revision_id, agent_pipeline_revision_id, state,
       created_at, deadline_at, updated_at, last_at, routed_at, route_source, route_scope, escalation_path_revision_id)
     select gen_random_uuid(), organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id,
            tool, server, arguments, timeout, 'queue-' || n, organization_pipeline_revision_id, agent_pipeline_revision_id,
            case when n <= $2 then 'pending' else (array['approved', 'denied', 'expired', 'cancelled'])[1 + (n / 1000) % 4] end,
            at, now() + interval '30 days', at, at, at, 'pipeline_default', route_scope, case ${choice.join(' ')} end
       from approval_requests, generate_series(1, $2::int + $3::int) as n,
            lateral (select created_at - random() * case when n <= $2 then interval '7 days' else interval '1 year' end as at) as t
      where id = $1`,
    [id, pending, past],
  );
}

async function notify(
  db: pg.Client,
  { organizationId }: Parties,
  { path, people }: { readonly path: string; readonly people: readonly string[] },
): Promise<void> {
  await db.query(
    `insert into escalation_steps (request_id, step_key, run, kind, at)
     select id, 'bench:1', 1, 'notified', created_at from approval_requests where escalation_path_revision_id = $1`,
    [path],
  );
  await db.query(
    `insert into notifications (id, organization_id, request_id, step_key, membership_id, created_at)
     select gen_random_uuid(), $2, r.id, 'bench:1', m, r.created_at
       from approval_requests r, unnest($3::uuid[]) as m where r.escalation_path_revision_id = $1`,
    [path, organizationId, people],
  );
}
