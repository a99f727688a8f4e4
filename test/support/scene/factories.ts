/**
 * Puts organizations, people and agents into a database as the services would, without calls that
 * are not under test.
 */
import { randomUUID } from 'node:crypto';
import { TOKEN_PREFIX } from '../../../src/domain/tokens.ts';
import { createPipeline } from '../../../src/data/pipelines/request-approval-pipelines.ts';
import { insertAgentCredential } from '../../../src/data/agents/agent-credentials.ts';
import { insertAgentProvisioner } from '../../../src/data/agents/agent-provisioners.ts';
import { insertOrganization } from '../../../src/data/organization/organizations.ts';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import type { Db } from '../../../src/platform/postgres.ts';
import { HttpClient } from '../http.ts';
import type { TestApp } from '../app.ts';

export interface TestOrganization {
  readonly id: string;
  readonly slug: string;
  readonly owner: TestMember;
}

export interface TestMember {
  readonly membershipId: string;
  readonly userId: string;
  readonly displayName: string;
  readonly email: string;
  /** Authenticated by a personal API key. */
  readonly http: HttpClient;
  /** Authenticated by a session cookie, from our own origin. */
  readonly browser: HttpClient;
  readonly apiKey: string;
  readonly apiKeyId: string;
  readonly cookie: string;
}

export interface Policy {
  readonly scope_kind: 'organization' | 'team' | 'agent';
  readonly resource_ids?: readonly string[];
  readonly permissions?: readonly string[];
  readonly is_owner?: boolean;
}

let count = 0;
/** As text, later ones come after earlier ones. */
const next = () => `${process.pid}-${String(++count).padStart(6, '0')}`;

export async function createOrganization(app: TestApp): Promise<TestOrganization> {
  const id = randomUUID();
  const slug = `org-${next()}`;
  await app.db.transaction((trx) => insertOrganization(trx, id, { name: slug, slug }));
  const owner = await createMember(app, id, {
    policies: [{ scope_kind: 'organization', is_owner: true }],
  });
  await app.db.transaction((trx) =>
    createPipeline(trx, id, { documentKey: 'organization', createdByActorId: owner.membershipId }),
  );
  return { id, slug, owner };
}

/** Levels notify the longest membership first, so no two begin in the same millisecond. */
let lastJoined = 0;
function nextJoined(): Date {
  lastJoined = Math.max(Date.now(), lastJoined + 1);
  return new Date(lastJoined);
}

export async function createMember(
  app: TestApp,
  organizationId: string,
  options: {
    readonly policies?: readonly Policy[];
    readonly displayName?: string;
    readonly status?: string;
  } = {},
): Promise<TestMember> {
  const now = new Date();
  const [userId, membershipId] = [randomUUID(), randomUUID()];
  const displayName = options.displayName ?? `Member ${next()}`;
  const email = `member-${next()}@example.com`;
  const membership = {
    id: membershipId,
    organization_id: organizationId,
    user_id: userId,
    status: options.status ?? 'active',
    admission_source: 'manual',
    created_at: nextJoined(),
    updated_at: now,
  };
  const key = issueToken(TOKEN_PREFIX.apiKey);
  const session = issueToken(TOKEN_PREFIX.session);
  // One statement, because tests create thousands of members.
  const { db } = app;
  const user = { id: userId, email, display_name: displayName, created_at: now };
  // Responses list policies by age, so each has a separate millisecond.
  const policies = (options.policies ?? []).map((policy, index, { length }) => ({
    ...policyRow(organizationId, { membershipId, policy }),
    created_at: new Date(now.getTime() - length + index),
  }));
  const created = db
    .with('new_user', db('users').insert(user))
    .with('new_membership', db('memberships').insert(membership))
    .with(
      'new_key',
      db('api_keys').insert({
        id: key.id,
        organization_id: organizationId,
        kind: 'personal',
        membership_id: membershipId,
        created_by_membership_id: membershipId,
        name: 'test key',
        token_hash: key.hash,
        assurance_at_issue: 'single_factor',
        created_at: now,
      }),
    );
  if (policies.length > 0) void created.with('granted', db('permission_policies').insert(policies));
  await created
    .insert({
      id: session.id,
      organization_id: organizationId,
      membership_id: membershipId,
      token_hash: session.hash,
      method: 'local_password',
      assurance: 'single_factor',
      authenticated_at: now,
      created_at: now,
      last_seen_at: now,
      expires_at: new Date(now.getTime() + 7 * 86_400_000),
    })
    .into('sessions');
  const cookie = `service_session=${session.token}`;
  return {
    membershipId,
    userId,
    displayName,
    email,
    apiKey: key.token,
    apiKeyId: key.id,
    cookie,
    http: new HttpClient(app.url, { authorization: `Bearer ${key.token}` }),
    browser: new HttpClient(app.url, { cookie, origin: app.url, 'sec-fetch-site': 'same-origin' }),
  };
}

interface Grant {
  readonly membershipId?: string;
  readonly teamId?: string;
  readonly apiKeyId?: string;
  readonly policy: Policy;
}

/** Gives the holder a policy and returns its id. */
export async function grant(db: Db, organizationId: string, granted: Grant): Promise<string> {
  const row = policyRow(organizationId, granted);
  await db('permission_policies').insert(row);
  return row.id;
}

const policyRow = (organizationId: string, { policy, ...holder }: Grant) => ({
  id: randomUUID() as string,
  organization_id: organizationId,
  membership_id: holder.membershipId ?? null,
  team_id: holder.teamId ?? null,
  api_key_id: holder.apiKeyId ?? null,
  scope_kind: policy.scope_kind,
  resource_ids: [...(policy.resource_ids ?? [])],
  permissions: [...(policy.permissions ?? [])],
  is_owner: policy.is_owner ?? false,
  created_at: new Date(),
});

/** A live team with these members and policies. */
export async function createTeam(
  app: TestApp,
  organizationId: string,
  {
    name = `Team ${next()}`,
    members = [],
    policies = [],
  }: { name?: string; members?: readonly TestMember[]; policies?: readonly Policy[] } = {},
): Promise<string> {
  const id = randomUUID();
  const now = new Date();
  await app.db('teams').insert({ id, organization_id: organizationId, name, created_at: now });
  for (const { membershipId } of members) {
    await app
      .db('team_members')
      .insert({ team_id: id, membership_id: membershipId, source: 'manual', created_at: now });
  }
  for (const policy of policies) await grant(app.db, organizationId, { teamId: id, policy });
  return id;
}

/** An organization key (hosted edition) with these policies: its id and its `who_` token. */
export async function createOrganizationKey(
  app: TestApp,
  organization: TestOrganization,
  policies: readonly Policy[] = [],
): Promise<{ readonly id: string; readonly token: string; readonly http: HttpClient }> {
  const { id, token, hash } = issueToken(TOKEN_PREFIX.organizationKey);
  await app.db('api_keys').insert({
    id,
    organization_id: organization.id,
    kind: 'organization',
    created_by_membership_id: organization.owner.membershipId,
    name: 'test integration',
    token_hash: hash,
    assurance_at_issue: 'single_factor',
    created_at: new Date(),
  });
  for (const policy of policies) await grant(app.db, organization.id, { apiKeyId: id, policy });
  return { id, token, http: new HttpClient(app.url, { authorization: `Bearer ${token}` }) };
}

export interface TestAgent {
  readonly slug: string;
  readonly instanceId: string;
  readonly credentialId: string;
  /** The `whc_` token. */
  readonly credential: string;
}

/** An agent with an empty pipeline, one instance and its credential. */
export async function createAgent(
  app: TestApp,
  organization: TestOrganization,
  slug = `agent-${next()}`,
): Promise<TestAgent> {
  const now = new Date();
  await app.db('agents').insert({
    organization_id: organization.id,
    slug,
    name: `Agent ${slug}`,
    status: 'active',
    created_by_actor_id: organization.owner.membershipId,
    created_at: now,
    updated_at: now,
  });
  await app.db.transaction((trx) =>
    createPipeline(trx, organization.id, {
      documentKey: `agent:${slug}`,
      createdByActorId: organization.owner.membershipId,
    }),
  );
  return { slug, ...(await createInstance(app, organization, slug)) };
}

export async function createInstance(
  app: TestApp,
  organization: TestOrganization,
  agentSlug: string,
): Promise<Omit<TestAgent, 'slug'>> {
  const now = new Date();
  const instanceId = randomUUID();
  await app.db('agent_instances').insert({
    id: instanceId,
    organization_id: organization.id,
    agent_slug: agentSlug,
    name: `instance-${next()}`,
    status: 'active',
    created_at: now,
    last_seen_at: now,
  });
  const token = issueToken(TOKEN_PREFIX.agentCredential);
  await insertAgentCredential(app.db, organization.id, {
    id: token.id,
    agentInstanceId: instanceId,
    tokenHash: token.hash,
    issuedAt: now,
    expiresAt: new Date(now.getTime() + 86_400_000),
  });
  return { instanceId, credentialId: token.id, credential: token.token };
}

export interface TestProvisioner {
  readonly id: string;
  /** The `whp_` token. */
  readonly token: string;
}

/** A provisioner token of an agent, for a year. */
export async function createProvisioner(
  app: TestApp,
  organization: TestOrganization,
  agentSlug: string,
): Promise<TestProvisioner> {
  const { id, token, hash } = issueToken(TOKEN_PREFIX.provisioner);
  await insertAgentProvisioner(app.db, organization.id, {
    id,
    agentSlug,
    createdByActorId: organization.owner.membershipId,
    tokenHash: hash,
    suffix: token.slice(-6),
    expiresAt: undefined,
    longest: 365 * 86_400_000,
  });
  return { id, token };
}

/** Creates and activates a revision of a pipeline through the API. `scope`: `organization` or `agents/<slug>`. */
export async function activatePipeline(
  member: TestMember,
  scope: string,
  document: unknown,
): Promise<void> {
  const path = `/api/v1/request-approval-pipelines/${scope}`;
  const created = await member.http.post(`${path}/revisions`, document);
  if (created.status !== 201) throw new Error(`pipeline not created: ${created.text}`);
  const headers = { 'if-match': created.headers['etag'] ?? '' };
  const activated = await member.http.post(
    `${path}/revisions/${String(created.body['revision'])}/activate`,
    undefined,
    { headers },
  );
  if (activated.status !== 200) throw new Error(`pipeline not activated: ${activated.text}`);
}

/** Creates and activates an escalation path through the API. Returns the id of its revision. */
export async function activatePath(
  member: TestMember,
  document: { readonly path_key: string } & Record<string, unknown>,
): Promise<string> {
  const created = await member.http.post('/api/v1/escalation-paths', document);
  if (created.status !== 201) throw new Error(`path not created: ${created.text}`);
  const headers = { 'if-match': '"0"' };
  const activated = await member.http.post(
    `/api/v1/escalation-paths/${document.path_key}/revisions/1/activate`,
    undefined,
    { headers },
  );
  if (activated.status !== 200) throw new Error(`path not activated: ${activated.text}`);
  return String(activated.body['id']);
}

/** Creates and activates a revision of a team's escalation policy through the API. Returns its number. */
export async function activatePolicy(
  member: TestMember,
  teamId: string,
  document: unknown,
): Promise<number> {
  const path = `/api/v1/teams/${teamId}/escalation-policy`;
  const created = await member.http.post(`${path}/revisions`, document);
  if (created.status !== 201) throw new Error(`policy not created: ${created.text}`);
  const headers = { 'if-match': created.headers['etag'] ?? '' };
  const revision = Number(created.body['revision']);
  const activated = await member.http.post(`${path}/revisions/${revision}/activate`, undefined, {
    headers,
  });
  if (activated.status !== 200) throw new Error(`policy not activated: ${activated.text}`);
  return revision;
}
