/** Who calls in the endpoint matrix, where, and what each caller gets. */
import type { Endpoint } from '../../../api/http/endpoint.ts';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import {
  createAgent,
  createInstance,
  createMember,
  createOrganization,
  createOrganizationKey,
  createProvisioner,
  createTeam,
  type Policy,
} from '../scene/factories.ts';
import { idOf } from '../tokens.ts';
import {
  elsewhereOnly,
  known,
  nothing,
  opens,
  outsideKeyScope,
  withoutGrants,
  type CredentialKind,
  type Lack,
  type Refusal,
} from './admission.ts';
import { bearer, everything, type Edition, type Headers } from './service.ts';
import type { World } from './world.ts';

export interface Caller {
  readonly caller: string;
  readonly headers: (endpoint: Endpoint) => Headers | Promise<Headers>;
  readonly refusal: (endpoint: Endpoint, world: World) => Refusal | undefined;
  /** The endpoints to call. Default: all. */
  readonly at?: (endpoint: Endpoint) => boolean;
}

const past = () => new Date(Date.now() - 1_000);
const openTo =
  (kind: CredentialKind) =>
  ({ auth }: Endpoint) =>
    opens[auth].includes(kind);
const unauthenticated = ({ auth }: Endpoint): Refusal | undefined =>
  auth === 'none' ? undefined : { code: 'authentication_required' };
const refused =
  (code: Refusal['code']): Caller['refusal'] =>
  () => ({ code });

type Change = Readonly<Record<string, unknown>>;

/** Credentials of an organization, changed before use. */
function spoilersOf({ app, cookie }: Edition, { organization, agent }: World) {
  const member = async (table: 'api_keys' | 'sessions', change: Change) => {
    const policies: Policy[] = [{ scope_kind: 'organization', is_owner: true }];
    const owner = await createMember(app, organization.id, { policies });
    await app.db(table).where({ membership_id: owner.membershipId }).update(change);
    return owner;
  };
  return {
    api_key: async (change: Change) => bearer((await member('api_keys', change)).apiKey),
    human: async (change: Change) => cookie(await member('sessions', change)),
    organization_api_key: async (change: Change) => {
      const all = everything('organization', [], 'organization_api_key');
      const { id, token } = await createOrganizationKey(app, organization, [all]);
      await app.db('api_keys').where({ id }).update(change);
      return bearer(token);
    },
    agent: async (change: Change) => {
      const instance = await createInstance(app, organization, agent.slug);
      await app.db('agent_credentials').where({ id: instance.credentialId }).update(change);
      return bearer(instance.credential);
    },
    provisioner: async (change: Change) => {
      const { id, token } = await createProvisioner(app, organization, agent.slug);
      await app.db('agent_provisioners').where({ id }).update(change);
      return bearer(token);
    },
  };
}

/** They call every endpoint. */
export const withoutCredential: readonly Caller[] = [
  { caller: 'no credential', headers: () => ({}), refusal: unauthenticated },
];

/** Callers whose credential proves nothing. Which endpoint they call makes no difference. */
export async function strangers(edition: Edition, home: World): Promise<readonly Caller[]> {
  const { app, cookie } = edition;
  const spoiled = spoilersOf(edition, home);
  const member = await createMember(app, home.organization.id);
  const { token } = await createOrganizationKey(app, home.organization, [
    everything('organization', [], 'organization_api_key'),
  ]);
  const expired = { expires_at: past() };
  const revoked = { revoked_at: past() };
  const revokedKey = { ...revoked, revocation_reason: 'manual' };
  const idle = { last_seen_at: new Date(Date.now() - 86_401_000) };
  const bearers = {
    'an invalid token': 'whk_nonsense',
    'an invented key': issueToken('whk').token,
    'an invented organization key': issueToken('who').token,
    'an invented agent credential': issueToken('whc').token,
    'an invented provisioner token': issueToken('whp').token,
    'another secret for the id of a key': issueToken('whk', idOf(member.apiKey)).token,
    'another secret for the id of an organization key': issueToken('who', idOf(token)).token,
    'another secret for the id of an agent credential': issueToken(
      'whc',
      idOf(home.agent.credential),
    ).token,
    'another secret for the id of a provisioner token': issueToken(
      'whp',
      idOf(home.provisioner.token),
    ).token,
    "a provisioner token by an agent credential's prefix": home.provisioner.token.replace(
      'whp_',
      'whc_',
    ),
    "a session's token as a bearer": member.cookie.split('=')[1] ?? '',
    "an organization key by a personal key's prefix": token.replace('who_', 'whk_'),
    "a personal key by an organization key's prefix": member.apiKey.replace('whk_', 'who_'),
  };
  const rows: readonly (readonly [string, Headers])[] = [
    ...Object.entries(bearers).map(([caller, value]) => [caller, bearer(value)] as const),
    ['another scheme', { authorization: 'Basic YWRhOnNlY3JldA==' }],
    ['a key as a cookie', { ...cookie(member), cookie: `service_session=${member.apiKey}` }],
    [
      'another secret for the id of a session',
      {
        ...cookie(member),
        cookie: `service_session=${issueToken('whs', idOf(member.cookie)).token}`,
      },
    ],
    ['a revoked key', await spoiled.api_key(revokedKey)],
    ['a revoked organization key', await spoiled.organization_api_key(revokedKey)],
    ['a revoked session', await spoiled.human(revoked)],
    ['a revoked agent credential', await spoiled.agent(revoked)],
    ['a revoked provisioner token', await spoiled.provisioner(revoked)],
    ['an expired key', await spoiled.api_key(expired)],
    ['an expired organization key', await spoiled.organization_api_key(expired)],
    ['an expired session', await spoiled.human(expired)],
    ['an idle session', await spoiled.human(idle)],
    ['an expired agent credential', await spoiled.agent(expired)],
    ['an expired provisioner token', await spoiled.provisioner(expired)],
    ['a provisioner token of an archived agent', await archivedProvisioner(edition, home)],
  ];
  return rows.map(([caller, headers]) => ({
    caller,
    headers: () => headers,
    refusal: unauthenticated,
  }));
}

async function archivedProvisioner({ app }: Edition, { organization }: World): Promise<Headers> {
  const { slug } = await createAgent(app, organization);
  await app.db('agents').where({ slug }).update({ status: 'archived', archived_at: past() });
  return bearer((await createProvisioner(app, organization, slug)).token);
}

/** Callers with a valid credential: each kind, and what each may lack. */
export async function acquaintances(edition: Edition, home: World): Promise<readonly Caller[]> {
  const { app, liveKey, liveSession } = edition;
  const { organization, agent, provisioner } = home;
  const { owner } = organization;
  const bare = await createMember(app, organization.id);
  const bareKey = await createOrganizationKey(app, organization);
  const fullKey = await createOrganizationKey(app, organization, [
    everything('organization', [], 'organization_api_key'),
  ]);
  const scoped = await spoilersOf(edition, home).api_key({ permissions: [] });
  const bound = await spoilersOf(edition, home).api_key({ resource: 'mcp' });
  const expiredToken = await spoilersOf(edition, home).api_key({ token_expires_at: past() });
  // What lacks a permission is asked where its kind opens. The first five rows are of wrong kinds.
  const lacking = (holder: CredentialKind, lack: Lack) => ({
    at: openTo(holder),
    refusal: known(holder, lack),
  });
  return [
    {
      caller: 'an agent',
      headers: () => bearer(agent.credential),
      refusal: known('agent', nothing),
    },
    {
      caller: 'a provisioner token',
      headers: () => bearer(provisioner.token),
      refusal: known('provisioner', nothing),
    },
    {
      caller: "an owner's key",
      headers: () => liveKey(owner),
      refusal: known('api_key', nothing),
    },
    {
      caller: "an owner's session",
      headers: () => liveSession(owner),
      refusal: known('human', nothing),
    },
    {
      caller: 'an organization key with everything',
      headers: () => bearer(fullKey.token),
      refusal: known('organization_api_key', nothing),
    },
    {
      caller: 'a key without grants',
      headers: () => bearer(bare.apiKey),
      ...lacking('api_key', withoutGrants),
    },
    {
      caller: 'a session without grants',
      headers: () => liveSession(bare),
      ...lacking('human', withoutGrants),
    },
    {
      caller: 'an organization key without grants',
      headers: () => bearer(bareKey.token),
      ...lacking('organization_api_key', withoutGrants),
    },
    {
      caller: 'a key scoped to nothing',
      headers: () => scoped,
      ...lacking('api_key', outsideKeyScope),
    },
    {
      caller: 'the key of an OAuth client for the MCP endpoint alone',
      headers: () => bound,
      refusal: (endpoint) => (endpoint.opensToMcpKeys ? undefined : unauthenticated(endpoint)),
    },
    {
      caller: 'the key of an OAuth client whose token has expired',
      headers: () => expiredToken,
      refusal: unauthenticated,
    },
    ...(await holdersElsewhere(edition, home, 'agent')),
    ...(await holdersElsewhere(edition, home, 'team')),
  ];
}

/** They hold everything at agent or team scope, for another agent or team. */
async function holdersElsewhere(
  { app, liveSession }: Edition,
  { organization }: World,
  scope: 'agent' | 'team',
): Promise<readonly Caller[]> {
  const id =
    scope === 'agent'
      ? (await createAgent(app, organization)).slug
      : await createTeam(app, organization.id);
  const policies = [everything(scope, [id], 'human')];
  const member = await createMember(app, organization.id, { policies });
  const key = await createOrganizationKey(app, organization, [
    everything(scope, [id], 'organization_api_key'),
  ]);
  const rows = [
    ['a key', 'api_key', () => bearer(member.apiKey)],
    ['a session', 'human', () => liveSession(member)],
    ['an organization key', 'organization_api_key', () => bearer(key.token)],
  ] as const;
  return rows.map(([caller, holder, headers]) => ({
    caller: `${caller} for another ${scope}`,
    headers,
    at: (endpoint) => openTo(holder)(endpoint) && endpoint.permission !== undefined,
    refusal: known(holder, elsewhereOnly(scope)),
  }));
}

/** Checks that come before permissions. Which endpoint is called makes no difference. */
export async function barred(edition: Edition, home: World): Promise<readonly Caller[]> {
  const { app, cookie, liveSession } = edition;
  const { organization } = home;
  const suspended = await createMember(app, organization.id, { status: 'suspended' });
  const elsewhere = async (change: Change) => {
    const { id, owner } = await createOrganization(app);
    await app.db('organizations').where({ id }).update(change);
    return owner;
  };
  const keyless = await elsewhere({ personal_api_keys_allowed: false });
  const deleted = await elsewhere({ deleted_at: past() });
  const disabledAgent = await createAgent(app, organization);
  await app.db('agents').where({ slug: disabledAgent.slug }).update({ status: 'disabled' });
  const disabledProvisioner = await createProvisioner(app, organization, disabledAgent.slug);
  const disabledInstance = await createInstance(app, organization, home.agent.slug);
  await app
    .db('agent_instances')
    .where({ id: disabledInstance.instanceId })
    .update({ status: 'disabled' });
  return [
    {
      caller: 'a suspended member',
      at: openTo('human'),
      headers: () => cookie(suspended),
      refusal: refused('membership_inactive'),
    },
    {
      caller: "a suspended member's key",
      at: openTo('api_key'),
      headers: () => bearer(suspended.apiKey),
      refusal: refused('membership_inactive'),
    },
    {
      caller: 'a key where the organization allows none',
      at: openTo('api_key'),
      headers: () => bearer(keyless.apiKey),
      refusal: refused('api_keys_disabled'),
    },
    {
      caller: 'a session of a deleted organization',
      at: openTo('human'),
      headers: () => cookie(deleted),
      refusal: refused('authentication_required'),
    },
    {
      caller: 'an instance of a disabled agent',
      at: openTo('agent'),
      headers: () => bearer(disabledAgent.credential),
      refusal: refused('agent_disabled'),
    },
    {
      caller: 'a provisioner token of a disabled agent',
      at: openTo('provisioner'),
      headers: () => bearer(disabledProvisioner.token),
      refusal: refused('agent_disabled'),
    },
    {
      caller: 'a disabled instance',
      at: openTo('agent'),
      headers: () => bearer(disabledInstance.credential),
      refusal: refused('instance_disabled'),
    },
    {
      caller: 'a session on a foreign page',
      at: ({ auth, method }) => auth !== 'agent' && method !== 'get',
      headers: async () => ({
        ...(await liveSession(organization.owner)),
        origin: 'https://evil.example',
        'sec-fetch-site': 'cross-site',
      }),
      refusal: refused('cross_site_request'),
    },
    {
      caller: 'a session that sends no page',
      at: ({ auth, method }) =>
        !['agent', 'none', 'personal_key'].includes(auth) && method !== 'get',
      headers: () => ({ cookie: organization.owner.cookie }),
      refusal: refused('cross_site_request'),
    },
  ];
}
