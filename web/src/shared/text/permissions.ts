/** What permissions let a person do, in English, as the service describes them. By area, in the order of lists. */
export const permissionAreas: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Approval requests': {
    'request.read': 'See requests routed to you or without a path, and their history',
    'request.read.unrouted': 'See requests routed to others',
    'request.claim': 'Claim a request routed to you, so that others are not asked meanwhile',
    'request.decide': 'Approve or deny requests routed to you',
    'request.decide.unrouted': 'Approve or deny requests routed to others too',
  },
  Agents: {
    'agent.read': 'See agents, their instances and their tools',
    'agent.write': 'Create, change, disable and archive agents',
    'agent.credential.issue': 'Issue credentials with which a program acts as the agent',
    'agent.credential.revoke': 'Revoke credentials of agents',
  },
  'Approval pipelines': {
    'pipeline.read': 'See approval pipelines and their revisions',
    'pipeline.write': 'Write and preview revisions of approval pipelines',
    'pipeline.activate': 'Activate revisions of approval pipelines',
  },
  'Escalation paths': {
    'escalation_path.read': 'See escalation paths and their revisions',
    'escalation_path.write': 'Write revisions of escalation paths',
    'escalation_path.activate': 'Activate a revision of an escalation path, or archive a path',
  },
  Teams: {
    'team.read': 'See teams, their members and their escalation policies',
    'team.write': 'Create, rename and archive teams',
    'team.member.write': 'Change who is in a team',
    'team.escalation.write': 'Write revisions of team escalation policies',
    'team.escalation.activate': 'Activate revisions of team escalation policies',
  },
  Members: {
    'membership.read': 'See the members and what they may do',
    'membership.invite': 'Invite people and manage pending invitations',
    'membership.write': 'Suspend, reactivate and remove members',
  },
  Access: {
    'permission_policy.read': 'See who holds which permissions',
    'permission_policy.write': 'Grant and revoke permissions',
  },
  'API keys': {
    'api_key.issue': 'Issue personal API keys for yourself',
    'api_key.read': 'See the API keys of the organization',
    'api_key.revoke': 'Revoke API keys of the organization',
    'api_key.organization.issue': 'Issue API keys that act for the organization',
  },
  'Webhook endpoints': {
    'webhook.read': 'See webhook endpoints and their revisions',
    'webhook.write': 'Write, activate, test and archive webhook endpoints and rotate their secrets',
  },
  Connections: {
    'connection.read': 'See connections to identity providers, directories and chat',
    'connection.write': 'Change connections to identity providers, directories and chat',
  },
  Gateway: {
    'gateway.read': 'See the gateway and what it connects',
    'gateway.write': 'Change the gateway and what it connects',
  },
  Audit: { 'audit.read': 'Read the audit log' },
  Organization: {
    'organization.read': 'See the organization, its limits and its settings',
    'organization.settings.write': 'Change the settings of the organization',
    'organization.delete': 'Delete the organization and everything in it',
  },
};

/** What a permission lets people do, or its key where this app is older than the service. */
export const permissionText = (key: string): string =>
  Object.values(permissionAreas).find((area) => Object.hasOwn(area, key))?.[key] ?? key;
