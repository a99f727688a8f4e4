/** Of the organization, its notification channels and Slack. */
import {
  about,
  counted,
  listed,
  named,
  plain,
  whichEnded,
  type EventPart,
  type Sentences,
} from './parts.ts';

/** Of an organization it is an object, of a channel a list. */
const changedMembers = (changed: unknown): readonly EventPart[] => {
  if (Array.isArray(changed)) return listed(changed as unknown[]);
  return typeof changed === 'object' && changed !== null ? listed(Object.keys(changed)) : [];
};

export const SETTINGS_SENTENCES = {
  'organization.created': about('created the organization ', 'name'),
  'organization.updated': ({ data: { changed } }) => [
    'changed settings of the organization: ',
    ...changedMembers(changed),
  ],
  'organization.onboarding_completed': plain('finished the setup of the organization'),
  'organization.deleted': ({ data }) => [
    'deleted the organization',
    ...whichEnded([
      ...counted(data['memberships_deprovisioned'], 'membership'),
      ...counted(data['api_keys_revoked'], 'API key'),
      ...counted(data['agent_credentials_revoked'], 'credential'),
      ...counted(data['approval_requests_cancelled'], 'request'),
    ]),
  ],
  'notification_channel.created': about('created the notification channel ', 'name'),
  'notification_channel.updated': (event) => [
    'changed ',
    ...changedMembers(event.data['changed']),
    ' of the notification channel ',
    { kind: 'notification_channel', id: event.subjectId },
  ],
  'notification_channel.deleted': about('deleted the notification channel ', 'name'),
  'notification_channel.secret_rotated': about(
    'rotated the signing secret of the notification channel ',
    'name',
  ),
  'slack_connection.connected': about('connected the Slack workspace ', 'team_name'),
  'slack_connection.changed': about('changed the connection to the Slack workspace ', 'team_name'),
  'slack_connection.disconnected': ({ data }) => [
    'disconnected the Slack workspace ',
    named(data['team_name']),
  ],
} as const satisfies Sentences;
