/** Of sessions, permissions and API keys. */
import { FAILED_AUTHENTICATIONS } from './people.ts';
import {
  because,
  countedItems,
  named,
  onSubject,
  plain,
  textOf,
  UNKNOWN,
  type Reference,
  type EventPart,
  type Sentences,
  type Tell,
  type ToldEvent,
} from './parts.ts';

const HOLDERS = [
  { member: 'membership_id', kind: 'member', words: 'the member ' },
  { member: 'team_id', kind: 'team', words: 'the team ' },
  { member: 'api_key_id', kind: 'api_key', words: 'the API key ' },
] as const satisfies readonly {
  member: string;
  kind: Reference['kind'];
  words: string;
}[];

function holder({ data }: ToldEvent): readonly EventPart[] {
  for (const { member, kind, words } of HOLDERS) {
    const id = textOf(data[member]);
    if (id !== undefined) return [words, { kind, id }];
  }
  return [UNKNOWN];
}

/** `3 permissions for 2 agents`. */
function permissions({ data }: ToldEvent): string {
  const { is_owner: isOwner, permissions: granted, scope_kind: scope, resource_ids: ids } = data;
  if (isOwner === true) return 'the rights of an owner';
  const [count = 'no permissions'] = countedItems(granted, 'permission');
  if (scope !== 'agent' && scope !== 'team') return count;
  const [where] = countedItems(ids, scope);
  return where === undefined ? count : `${count} for ${where}`;
}

const SESSION_ENDS: Readonly<Record<string, string>> = {
  signed_out: 'signed out',
  superseded: 'ended a session by signing in again',
  identity_unlinked: 'ended a session by unlinking an identity',
  manual: 'ended a session',
  mfa_enrolled: 'ended a session by turning on a second factor',
  mfa_removed: 'ended a session by removing a second factor',
  password_changed: 'ended a session by changing the password',
  password_reset: 'ended a session by replacing the password',
};

const KEY_ENDS = {
  code_not_exchanged: 'its client did not fetch it',
  code_used_again: 'its code was used again',
  refresh_token_used_again: 'its refresh token was used again',
  revoked_by_client: 'its client wished it',
  lifetime_limit_lowered: 'keys may not live as long any more',
};

const factor = ({ data }: ToldEvent): string =>
  data['second_factor'] === undefined ? '' : ' with a second factor';

const keyCreated: Tell = ({ data }) => [
  data['kind'] === 'organization'
    ? 'created the API key of the organization '
    : data['oauth_client'] === undefined
      ? 'created the personal API key '
      : 'let an application act for them: ',
  named(data['name']),
];

export const ACCESS_SENTENCES = {
  'session.created': (event) => [`signed in${factor(event)}`],
  'session.reauthenticated': (event) => [`authenticated again${factor(event)}`],
  'session.revoked': ({ data: { reason } }) => [
    SESSION_ENDS[textOf(reason) ?? ''] ?? 'ended a session',
  ],
  'session.sign_in_failed': ({ data }) => [
    'refused a sign-in of the member ',
    { kind: 'member', id: textOf(data['membership_id']) ?? UNKNOWN },
    because(FAILED_AUTHENTICATIONS, data['reason']),
  ],
  'session.reauthentication_failed': ({ data }) => [
    `could not authenticate again${because(FAILED_AUTHENTICATIONS, data['reason'])}`,
  ],
  'permission_policy.created': (event) => [`granted ${permissions(event)} to `, ...holder(event)],
  'permission_policy.updated': (event) => [
    'changed permissions of ',
    ...holder(event),
    ` to ${permissions(event)}`,
  ],
  'permission_policy.deleted': (event) => [`revoked ${permissions(event)} of `, ...holder(event)],
  'api_key.created': keyCreated,
  'api_key.revoked': (event) => [
    ...onSubject('revoked the API key ', 'api_key')(event),
    because(KEY_ENDS, event.data['reason']),
  ],
  'audit_log.exported': plain('exported the audit log'),
} as const satisfies Sentences;
