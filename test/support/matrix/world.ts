/** One object of every noun in the paths of the API, and the placeholders that name them. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Endpoint } from '../../../api/http/endpoint.ts';
import { insertPresentation } from '../../../src/data/agents/tool-presentations.ts';
import {
  authorizeEnrollment,
  insertEnrollment,
} from '../../../src/data/agents/agent-enrollments.ts';
import {
  insertChannel,
  insertWebhook,
} from '../../../src/data/notifications/notification-channels.ts';
import { insertDocument } from '../../../src/data/revisions.ts';
import {
  insertEndpointSecret,
  webhookEndpointTables,
} from '../../../src/data/webhooks/webhook-endpoints.ts';
import {
  hashUserCode,
  newUserCode,
  USER_CODE_BYTES,
} from '../../../src/domain/agents/agent-enrollments.ts';
import { SEALED_FOR } from '../../../src/domain/sealed-secrets.ts';
import { TOKEN_PREFIX } from '../../../src/domain/tokens.ts';
import { newBrowser } from '../servers/push-service.ts';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import { makeSigningSecret } from '../../../src/services/webhooks/signing-secrets.ts';
import type { TestApp } from '../app.ts';
import { HttpClient } from '../http.ts';
import { ask } from '../scene/approval-requests.ts';
import {
  activatePath,
  activatePolicy,
  createAgent,
  createInstance,
  createMember,
  createOrganization,
  createOrganizationKey,
  createProvisioner,
  createTeam,
  grant,
  type TestAgent,
  type TestMember,
  type TestOrganization,
  type TestProvisioner,
} from '../scene/factories.ts';

export interface World {
  readonly organization: TestOrganization;
  /** A member other than the owner, for changes that are refused for oneself. */
  readonly member: TestMember;
  readonly agent: TestAgent;
  /** An agent that calls may disable and archive. */
  readonly spareAgentSlug: string;
  readonly spareInstanceId: string;
  /** One that calls may delete. */
  readonly fleetInstanceId: string;
  readonly spareCredentialId: string;
  readonly provisioner: TestProvisioner;
  readonly spareProvisionerId: string;
  /** The code of an enrollment that the organization has authorized. */
  readonly userCode: string;
  readonly requestId: string;
  readonly teamId: string;
  readonly invitation: { readonly id: string; readonly token: string };
  /** From a link to set a new password. */
  readonly passwordResetToken: string;
  readonly organizationKeyId: string;
  /** A session of the owner, other than the one of the call. */
  readonly spareSessionId: string;
  readonly spareKeyId: string;
  /** A webhook that was notified of the request. */
  readonly notificationChannelId: string;
  readonly notificationDeliveryId: string;
  readonly toolCatalogEntryId: string;
  readonly toolPresentationId: string;
  readonly auditEventId: string;
  readonly pushSubscriptionId: string;
  readonly policies: { readonly member: string; readonly team: string; readonly key: string };
}

export type Params = Readonly<Record<string, string>>;

export async function createWorld(app: TestApp): Promise<World> {
  const organization = await createOrganization(app);
  const agent = await createAgent(app, organization);
  const spare = await createInstance(app, organization, agent.slug);
  const { slug: spareAgentSlug } = await createAgent(app, organization);
  const level = {
    id: randomUUID(),
    type: 'level',
    targets: [{ type: 'broadcast' }],
    escalate_after: '15m',
  };
  await activatePath(organization.owner, {
    path_key: `path-${agent.slug}`,
    name: 'On call',
    nodes: [level],
  });
  const member = await createMember(app, organization.id);
  const teamId = await createTeam(app, organization.id, { members: [member] });
  await activatePolicy(organization.owner, teamId, { nodes: [level] });
  const key = await createOrganizationKey(app, organization);
  const policy = {
    scope_kind: 'agent' as const,
    resource_ids: [agent.slug],
    permissions: ['agent.read'],
  };
  await createWebhookEndpoint(app, organization, endpointKeyOf(agent));
  const notificationChannelId = await createWebhookChannel(app, organization);
  const requestId = await ask(app, agent, { tool: 'refund' });
  const delivery = await app
    .db('notification_deliveries')
    .where({ request_id: requestId })
    .first<{ id: string }>('id');
  return {
    organization,
    member,
    agent,
    spareAgentSlug,
    spareInstanceId: spare.instanceId,
    fleetInstanceId: (await createInstance(app, organization, agent.slug)).instanceId,
    spareCredentialId: spare.credentialId,
    provisioner: await createProvisioner(app, organization, agent.slug),
    spareProvisionerId: (await createProvisioner(app, organization, agent.slug)).id,
    userCode: await createEnrollment(app, organization.owner, spare.instanceId),
    requestId,
    teamId,
    invitation: await createInvitation(app, organization),
    passwordResetToken: await createPasswordReset(app, member),
    organizationKeyId: key.id,
    notificationChannelId,
    notificationDeliveryId: delivery.id,
    toolCatalogEntryId: await reportTool(app, agent),
    toolPresentationId: await createToolPresentation(app, organization),
    auditEventId: await auditEventOf(app, organization),
    pushSubscriptionId: await createPushSubscription(app, organization),
    ...(await createSpares(app, organization)),
    policies: {
      member: await grant(app.db, organization.id, { membershipId: member.membershipId, policy }),
      team: await grant(app.db, organization.id, { teamId, policy }),
      key: await grant(app.db, organization.id, { apiKeyId: key.id, policy }),
    },
  };
}

/** A tool of the agent. Returns the id of its entry in the catalog. */
async function reportTool(app: TestApp, { credential, instanceId }: TestAgent): Promise<string> {
  const agent = new HttpClient(app.url, { authorization: `Bearer ${credential}` });
  await agent.call('PUT', '/api/aap/v1/tool_catalog', {
    body: {
      runtime: 'tests',
      discovery_context: 'matrix',
      sources: [{ source: 'builtin', tools: [{ name: 'refund' }] }],
    },
  });
  const { id } = await app
    .db('tool_catalog_tools as t')
    .join('tool_catalog_sources as s', 's.id', 't.source_id')
    .join('tool_catalog_contexts as c', 'c.id', 's.context_id')
    .where({ agent_instance_id: instanceId })
    .first<{ id: string }>('t.id');
  return id;
}

async function createToolPresentation(app: TestApp, { id }: TestOrganization): Promise<string> {
  const entry = { tool: 'refund', title: 'Refund', fields: [] };
  const created = await app.db.transaction((trx) => insertPresentation(trx, id, entry));
  return created?.id ?? '';
}

async function createWebhookChannel(
  app: TestApp,
  { id: organizationId }: TestOrganization,
): Promise<string> {
  const id = randomUUID();
  await insertChannel(app.db, organizationId, { id, kind: 'webhook', name: 'Incident bot' });
  const secret = { keyId: 'of no deployment', sealed: Buffer.from('sealed') };
  await insertWebhook(app.db, id, {
    url: 'https://hooks.example/',
    includeArguments: false,
    secret,
  });
  return id;
}

const endpointKeyOf = ({ slug }: TestAgent): string => `endpoint-${slug}`;

/** Active, at a host that no name server knows. */
async function createWebhookEndpoint(
  app: TestApp,
  { id: organizationId, owner }: TestOrganization,
  documentKey: string,
): Promise<void> {
  const document = JSON.stringify({ name: 'Rules', url: 'https://rules.invalid/' });
  const created = await insertDocument(app.db, organizationId, {
    tables: webhookEndpointTables,
    documentKey,
    revision: { document, createdByActorId: owner.membershipId },
    active: true,
  });
  const { documentId = '' } = created ?? {};
  const { sealed } = makeSigningSecret(app.context, SEALED_FOR.webhookEndpoint(documentId));
  await app.db.transaction(async (trx) => {
    await insertEndpointSecret(trx, documentId, sealed);
  });
}

async function createEnrollment(
  app: TestApp,
  { membershipId }: TestMember,
  instanceId: string,
): Promise<string> {
  const { id, hash } = issueToken(TOKEN_PREFIX.enrollment);
  const userCode = newUserCode(randomBytes(USER_CODE_BYTES));
  await insertEnrollment(app.db, {
    id,
    codeHash: hash,
    userCodeHash: hashUserCode(userCode),
    runtime: 'test',
    requestedAgentSlug: null,
    instanceName: 'enrolled',
    instanceMetadata: '{}',
    lifetimeSeconds: 600,
  });
  await app.db.transaction((trx) => authorizeEnrollment(trx, { id, instanceId, membershipId }));
  return userCode;
}

async function createInvitation(
  app: TestApp,
  { id: organizationId, owner }: TestOrganization,
): Promise<World['invitation']> {
  const { id, token, hash } = issueToken(TOKEN_PREFIX.invitation);
  const now = new Date();
  await app.db('invitations').insert({
    id,
    organization_id: organizationId,
    email: `invited-${id}@example.com`,
    permission_policies: '[]',
    token_hash: hash,
    invited_by_membership_id: owner.membershipId,
    created_at: now,
    updated_at: now,
    expires_at: new Date(now.getTime() + 7 * 86_400_000),
  });
  return { id, token };
}

async function createPasswordReset(app: TestApp, { userId }: TestMember): Promise<string> {
  const { id, token, hash } = issueToken(TOKEN_PREFIX.passwordReset);
  const now = new Date();
  const expiresAt = new Date(now.getTime() + 1_800_000);
  // A password can be forgotten only where there is one.
  await app.db('users').where({ id: userId }).update({ password_hash: 'of no password' });
  await app
    .db('password_resets')
    .insert({ id, user_id: userId, token_hash: hash, created_at: now, expires_at: expiresAt });
  return token;
}

async function auditEventOf(app: TestApp, { id }: TestOrganization): Promise<string> {
  const event = await app
    .db('audit_events')
    .where({ organization_id: id })
    .first<{ id: string }>('id');
  return event.id;
}

async function createPushSubscription(app: TestApp, { owner }: TestOrganization): Promise<string> {
  const id = randomUUID();
  const { endpoint, keys } = newBrowser(`https://push.invalid/${id}`).subscription;
  await app.db('push_subscriptions').insert({
    id,
    membership_id: owner.membershipId,
    endpoint,
    ...keys,
    user_agent: 'a browser',
    created_at: new Date(),
  });
  return id;
}

/** A second session and a second key of the owner: copies of the first. */
async function createSpares(
  app: TestApp,
  { owner }: TestOrganization,
): Promise<{ spareSessionId: string; spareKeyId: string }> {
  const copy = async (table: string) => {
    const row = await app
      .db(table)
      .where({ membership_id: owner.membershipId })
      .first<Record<string, unknown>>();
    const id = randomUUID();
    await app.db(table).insert({ ...row, id });
    return id;
  };
  return { spareSessionId: await copy('sessions'), spareKeyId: await copy('api_keys') };
}

/**
 * Placeholders of the path, filled with objects of `world`. An unknown id replaces a noun that is
 * missing here.
 */
export function paramsIn(
  world: World,
  { path, method }: Pick<Endpoint, 'path' | 'method'>,
): Params {
  const ids: readonly (readonly [RegExp, string])[] = [
    [/\/requests\//, world.requestId],
    [/\/agent_instances\//, world.spareInstanceId],
    [/\/instances\//, world.fleetInstanceId],
    [/\/agent-credentials\//, world.spareCredentialId],
    [/\/agent-provisioners\//, world.spareProvisionerId],
    [/\/me\/api_keys\//, world.spareKeyId],
    [/\/me\/sessions\//, world.spareSessionId],
    [/\/api_keys\//, world.organizationKeyId],
    [/\/(linked_)?members\//, world.member.membershipId],
    [/\/teams\//, world.teamId],
    [/\/invitations\//, world.invitation.id],
    [/\/notification_channels\//, world.notificationChannelId],
    [/\/notification_deliveries\//, world.notificationDeliveryId],
    [/\/tool_catalog\//, world.toolCatalogEntryId],
    [/\/push_subscriptions\//, world.pushSubscriptionId],
    [/\/tool_presentations\//, world.toolPresentationId],
    [/\/audit\//, world.auditEventId],
    [/./, randomUUID()],
  ];
  const holder = path.includes('/teams/') ? 'team' : path.includes('/api_keys/') ? 'key' : 'member';
  const changesAgent = method !== 'get' && /\/agents\/\{slug\}(\/restore)?$/.test(path);
  const known: Params = {
    id: ids.find(([pattern]) => pattern.test(path))?.[1] ?? '',
    slug: changesAgent ? world.spareAgentSlug : world.agent.slug,
    agent_slug: world.agent.slug,
    path_key: `path-${world.agent.slug}`,
    endpoint_key: endpointKeyOf(world.agent),
    policy_id: world.policies[holder],
    token: path.includes('/reset/') ? world.passwordResetToken : world.invitation.token,
    revision: '1',
    user_code: world.userCode,
  };
  return Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, known[name] ?? randomUUID()]),
  );
}

/** The path with its placeholders filled in. */
export const filled = (path: string, params: Params) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
