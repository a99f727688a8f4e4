/** Of members, teams and invitations. */
import {
  about,
  because,
  countedItems,
  named,
  onSubject,
  plain,
  renamed,
  type EventPart,
  type Sentences,
  type Tell,
  type ToldEvent,
} from './parts.ts';

/** What one does to oneself is "their own". */
const ownOrOf =
  (words: string, what: string): Tell =>
  ({ actorId, subjectId }) =>
    actorId === subjectId
      ? [`${words} their own ${what}`]
      : [`${words} the ${what} of the member `, { kind: 'member', id: subjectId }];

const identity =
  (verb: string): Tell =>
  (event) => [
    ...ownOrOf(verb, 'identity')(event),
    ' at the identity provider ',
    named(event.data['issuer']),
  ];

const JOINED = {
  invite: 'by an invitation',
  sso_jit: 'by their first sign-in with single sign-on',
};

const joined =
  (words: string): Tell =>
  ({ data }) => [`${words}${because(JOINED, data['admission_source'])}`];

/** ` and left 2 escalation paths behind`, where a removal was forced. */
function leftBehind({ data: { left_behind: left } }: ToldEvent): readonly string[] {
  if (typeof left !== 'object' || left === null) return [];
  const { escalation_paths: paths, team_escalation_policies: policies } = left as Readonly<
    Record<string, unknown>
  >;
  const named = [
    ...countedItems(paths, 'escalation path'),
    ...countedItems(policies, 'policy of a team', 'policies of teams'),
  ];
  return named.length > 0 ? [`, although ${named.join(' and ')} still name them`] : [];
}

export const FAILED_AUTHENTICATIONS = {
  wrong_password: 'wrong password',
  wrong_code: 'wrong code',
  membership_inactive: 'they are not an active member',
  another_identity: 'another identity is linked to the account',
};

const REVOKED = {
  email_not_delivered: 'its email could not be delivered',
  manual: 'by hand',
};

const invited = ({ data: { email } }: ToldEvent): EventPart => named(email);

const membersChanged: Tell = ({ subjectId: id, data }) => {
  const added = countedItems(data['added'], 'member');
  const removed = countedItems(data['removed'], 'member');
  const team = { kind: 'team', id } as const;
  if (removed.length === 0) return [`added ${added[0] ?? 'no one'} to the team `, team];
  if (added.length === 0) return [`removed ${removed[0] ?? 'no one'} from the team `, team];
  return [`added ${added[0] ?? ''} to the team `, team, `, and removed ${removed[0] ?? ''}`];
};

export const PEOPLE_SENTENCES = {
  'membership.created': joined('became a member'),
  'membership.readmitted': joined('became a member again'),
  'membership.suspended': (event) => [
    'suspended the member ',
    { kind: 'member', id: event.subjectId },
    ...leftBehind(event),
  ],
  'membership.reactivated': onSubject('reactivated the member ', 'member'),
  'membership.deprovisioned': (event) => [
    'removed the member ',
    { kind: 'member', id: event.subjectId },
    ...leftBehind(event),
  ],
  'membership.password_changed': ownOrOf('changed', 'password'),
  'membership.password_reset': ownOrOf('replaced', 'password'),
  'membership.password_reset_requested': onSubject(
    'sent a link to replace the password of the member ',
    'member',
  ),
  'membership.password_change_failed': ({ data }) => [
    `could not change their password${because(FAILED_AUTHENTICATIONS, data['reason'])}`,
  ],
  'membership.mfa_enrollment_started': plain('began to set up a second factor'),
  'membership.mfa_enrolled': plain('turned on a second factor'),
  'membership.mfa_removed': ownOrOf('removed', 'second factor'),
  'membership.recovery_started': onSubject(
    'made a link, on the machine of the service, that removes the second factor of the owner ',
    'member',
  ),
  'membership.recovery_codes_replaced': plain('replaced their recovery codes'),
  'membership.identity_linked': identity('linked'),
  'membership.identity_unlinked': identity('unlinked'),
  'membership.slack_linked': about('linked their Slack user ', 'slack_user_id'),
  'membership.slack_unlinked': (event) => [
    ...ownOrOf('unlinked', 'Slack user')(event),
    ' ',
    named(event.data['slack_user_id']),
  ],
  'invitation.created': (event) => ['invited ', invited(event)],
  'invitation.resent': (event) => ['sent the invitation of ', invited(event), ' again'],
  'invitation.revoked': ({ subjectId: id, data }) => [
    'revoked the invitation ',
    { kind: 'invitation', id },
    because(REVOKED, data['reason']),
  ],
  'invitation.accepted': onSubject('accepted the invitation ', 'invitation'),
  'invitation.acceptance_failed': ({ subjectId: id, data }) => [
    'refused to let someone accept the invitation ',
    { kind: 'invitation', id },
    because(FAILED_AUTHENTICATIONS, data['reason']),
  ],
  'team.created': about('created the team ', 'name'),
  'team.renamed': renamed('team'),
  'team.archived': about('archived the team ', 'name'),
  'team.members_changed': membersChanged,
} as const satisfies Sentences;
