/**
 * The permission vocabulary as data: every key, who may hold it and at which scopes it may be
 * granted. Everything that lists, validates or checks permissions reads this table.
 */

/** The kinds of credential holder a permission can belong to. */
export type PermissionHolder = 'human' | 'api_key' | 'organization_api_key' | 'agent' | 'gateway';

export type ScopeKind = 'organization' | 'team' | 'agent';

/**
 * Hosted adds organization keys and scoped personal keys. The open edition neither lists nor grants
 * hosted permissions.
 */
export type Edition = 'open' | 'hosted';

interface Terms {
  readonly description: string;
  readonly holders: readonly PermissionHolder[];
  readonly dangerous: boolean;
  readonly edition: Edition;
}

const HUMAN = ['human'] as const;
const PEOPLE = ['human', 'api_key'] as const;
const PEOPLE_AND_KEYS = ['human', 'api_key', 'organization_api_key'] as const;

function held(
  holders: readonly PermissionHolder[],
  description: string,
  marks: Partial<Pick<Terms, 'dangerous' | 'edition'>> = {},
): Terms {
  return { description, holders, dangerous: false, edition: 'open', ...marks };
}

const terms = {
  'organization.delete': held(PEOPLE, 'Delete the organization and everything in it.', {
    dangerous: true,
  }),
  'organization.read': held(PEOPLE_AND_KEYS, 'See the organization, its limits and its settings.'),
  'organization.settings.write': held(PEOPLE, 'Change the settings of the organization.'),
  'membership.invite': held(PEOPLE, 'Invite people and manage pending invitations.'),
  'membership.read': held(PEOPLE_AND_KEYS, 'See the members and what they may do.'),
  'membership.write': held(PEOPLE, 'Suspend, reactivate and remove members.'),
  'team.escalation.activate': held(
    PEOPLE_AND_KEYS,
    'Activate revisions of team escalation policies.',
  ),
  'team.escalation.write': held(PEOPLE_AND_KEYS, 'Write revisions of team escalation policies.'),
  'team.member.write': held(PEOPLE, 'Change who is in a team.'),
  'team.read': held(PEOPLE_AND_KEYS, 'See teams, their members and their escalation policies.'),
  'team.write': held(PEOPLE, 'Create, rename and archive teams.'),
  'agent.credential.issue': held(
    PEOPLE_AND_KEYS,
    'Issue credentials with which a program acts as the agent.',
    { dangerous: true },
  ),
  'agent.credential.revoke': held(PEOPLE_AND_KEYS, 'Revoke credentials of agents.'),
  'agent.read': held(PEOPLE_AND_KEYS, 'See agents, their instances and their tools.'),
  'agent.write': held(PEOPLE_AND_KEYS, 'Create, change, disable and archive agents.'),
  'pipeline.activate': held(PEOPLE_AND_KEYS, 'Activate revisions of approval pipelines.'),
  'pipeline.read': held(PEOPLE_AND_KEYS, 'See approval pipelines and their revisions.'),
  'pipeline.write': held(PEOPLE_AND_KEYS, 'Write and preview revisions of approval pipelines.'),
  'escalation_path.activate': held(
    PEOPLE_AND_KEYS,
    'Activate a revision of an escalation path, or archive a path.',
  ),
  'escalation_path.read': held(PEOPLE_AND_KEYS, 'See escalation paths and their revisions.'),
  'escalation_path.write': held(PEOPLE_AND_KEYS, 'Write revisions of escalation paths.'),
  'request.claim': held(
    PEOPLE,
    'Claim a request routed to you, so that others are not asked meanwhile.',
  ),
  'request.create': held(['agent'], 'Ask for approval of a tool call.'),
  'request.decide': held(PEOPLE, 'Approve or deny requests routed to you.'),
  'request.decide.unrouted': held(
    PEOPLE,
    'Approve or deny requests routed to others too, beside `request.decide`.',
    { dangerous: true },
  ),
  'request.read': held(
    [...PEOPLE_AND_KEYS, 'agent'],
    'See requests routed to you or without a path, and their history.',
  ),
  'request.read.unrouted': held(PEOPLE_AND_KEYS, 'See requests routed to others.'),
  'gateway.call': held(['gateway'], 'Call tools through the gateway.', { edition: 'hosted' }),
  'gateway.read': held(PEOPLE_AND_KEYS, 'See the gateway and what it connects.', {
    edition: 'hosted',
  }),
  'gateway.write': held(PEOPLE_AND_KEYS, 'Change the gateway and what it connects.', {
    edition: 'hosted',
  }),
  'webhook.read': held(PEOPLE_AND_KEYS, 'See webhook endpoints and their revisions.'),
  'webhook.write': held(
    PEOPLE_AND_KEYS,
    'Write, activate, test and archive webhook endpoints and rotate their secrets.',
  ),
  'connection.read': held(PEOPLE, 'See connections to identity providers, directories and chat.'),
  'connection.write': held(
    PEOPLE,
    'Change connections to identity providers, directories and chat.',
    { dangerous: true },
  ),
  'audit.read': held(PEOPLE_AND_KEYS, 'Read the audit log.', { edition: 'hosted' }),
  'api_key.issue': held(HUMAN, 'Issue personal API keys for yourself.'),
  'api_key.read': held(HUMAN, 'See the API keys of the organization.'),
  'api_key.revoke': held(HUMAN, 'Revoke API keys of the organization.'),
  'api_key.organization.issue': held(HUMAN, 'Issue API keys that act for the organization.', {
    dangerous: true,
    edition: 'hosted',
  }),
  'permission_policy.read': held(PEOPLE, 'See who holds which permissions.'),
  'permission_policy.write': held(PEOPLE, 'Grant and revoke permissions.', { dangerous: true }),
} as const satisfies Record<string, Terms>;

/** A key of the vocabulary, such as `request.decide`. */
export type Permission = keyof typeof terms;

/** One permission at one scope; `scope_id` is a team id or an agent slug and absent at organization scope. */
export interface Grant {
  readonly permission: Permission;
  readonly scope_kind: ScopeKind;
  readonly scope_id?: string;
}

/** One entry of the vocabulary. `scopes` are the scopes at which the permission may be granted, the widest first. */
export interface PermissionEntry extends Terms {
  readonly key: Permission;
  readonly area: string;
  readonly resource: string;
  readonly scopes: readonly ScopeKind[];
}

/** By first segment of a key: its area in lists, and the scope narrower than the organization. */
const resources: Readonly<
  Record<string, { readonly area: string; readonly narrowest?: ScopeKind }>
> = {
  organization: { area: 'Organization' },
  membership: { area: 'Members' },
  team: { area: 'Teams', narrowest: 'team' },
  agent: { area: 'Agents', narrowest: 'agent' },
  pipeline: { area: 'Approval pipelines', narrowest: 'agent' },
  escalation_path: { area: 'Escalation paths' },
  request: { area: 'Approval requests', narrowest: 'agent' },
  gateway: { area: 'Gateway', narrowest: 'agent' },
  webhook: { area: 'Webhook endpoints' },
  connection: { area: 'Connections' },
  audit: { area: 'Audit' },
  api_key: { area: 'API keys' },
  permission_policy: { area: 'Access' },
};

function entryOf(key: Permission): PermissionEntry {
  const resource = key.slice(0, key.indexOf('.'));
  const { area = resource, narrowest } = resources[resource] ?? {};
  return {
    key,
    area,
    resource,
    ...terms[key],
    scopes: narrowest ? ['organization', narrowest] : ['organization'],
  };
}

/** The whole vocabulary, in list order. */
export const permissions: readonly PermissionEntry[] = Object.keys(terms)
  .filter(isPermission)
  .map(entryOf);

const byKey: ReadonlyMap<Permission, PermissionEntry> = new Map(
  permissions.map((entry) => [entry.key, entry]),
);

/** True when `key` is in the vocabulary. */
export function isPermission(key: string): key is Permission {
  return Object.hasOwn(terms, key);
}

/** The vocabulary's entry of a permission. */
export function permissionEntry(key: Permission): PermissionEntry {
  return byKey.get(key) ?? entryOf(key);
}

/** True when that kind of credential may carry the permission at all. */
export function mayHold(holder: PermissionHolder, key: Permission): boolean {
  return permissionEntry(key).holders.includes(holder);
}

/** True when the edition serves the operations of the permission. The hosted edition serves all. */
export function isServedBy(edition: Edition, key: Permission): boolean {
  return edition === 'hosted' || permissionEntry(key).edition === 'open';
}

/** True when the permission may be granted at that kind of scope. */
export function isValidScope(key: Permission, scope: ScopeKind): boolean {
  return permissionEntry(key).scopes.includes(scope);
}
