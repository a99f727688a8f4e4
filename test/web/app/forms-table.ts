/** The forms and dialogs of the web app, each with the way to it and the order of its controls. */
import { people, presentation, request, teams } from './forms-scene.ts';

export interface Form {
  readonly name: string;
  /** Its file in the sources of the web app. */
  readonly source: string;
  readonly page: string;
  readonly isSignedOut?: boolean;
  /** A button, then perhaps an entry of its menu. Absent where the form is a part of the page. */
  readonly opens?: readonly [button: string | RegExp, entry?: string];
  readonly form:
    'dialog' | { readonly form: string } | { readonly panel: string } | { readonly part: string };
  /** What is chosen or typed first, such as what shows more fields: a key, or text. */
  readonly sets?: readonly (readonly [field: string, typed: string])[];
  /** A text of the part that loads last. */
  readonly ready?: string;
  /** What has the focus at first. Default: the first field. */
  readonly first?: string;
  /** In the order of Tab, which is the visual one. `…`: any others. */
  readonly fields: readonly string[];
  /** What is filled in, the control that is pressed instead of the last field, and the field that is refused. */
  readonly refuses?: {
    readonly fill?: Readonly<Record<string, string>>;
    readonly press?: string;
    readonly at: string;
  };
  /** What closes it. Default: Escape, where it is a dialog. */
  readonly closes?: string;
}

const FORBIDDEN_URL = 'https://10.0.0.1/';
const CONFIRM = 'Type this to confirm:';
const FORCE = 'Remove anyway, although these ask them by name';
const ada = `/people/${people.ada.membershipId}`;
const agent = '/agents/support-bot';

const SIGN_IN: readonly Form[] = [
  {
    name: 'sign in',
    source: 'areas/sign-in/login.tsx',
    page: '/login',
    isSignedOut: true,
    form: { part: 'main' },
    fields: ['Email', 'Password', 'Show password', 'Sign in'],
    refuses: { fill: { Email: 'nobody' }, at: 'Email' },
  },
  {
    name: 'code of a machine',
    source: 'areas/sign-in/enroll.tsx',
    page: '/enroll',
    form: { part: 'main' },
    fields: ['Code', 'Find machine'],
    refuses: { at: 'Code' },
  },
];

const ACCOUNT: readonly Form[] = [
  {
    name: 'change the password',
    source: 'areas/account/password.tsx',
    page: '/account/security',
    form: { form: 'Change password' },
    fields: [
      'Current password',
      'Show password',
      'New password',
      'Show password',
      'Change password',
    ],
    refuses: { at: 'Current password' },
  },
  {
    name: 'new key of one’s own',
    source: 'areas/keys/own/new-own-key.tsx',
    page: '/account/keys',
    opens: ['New key'],
    form: { panel: 'New key' },
    fields: ['Name', 'Read only', '…', 'Expires', 'Create key', 'Cancel'],
    refuses: { at: 'Name' },
    closes: 'Cancel',
  },
  {
    name: 'new key with chosen permissions, until a date',
    source: 'areas/keys/own/new-own-key.tsx',
    page: '/account/keys',
    opens: ['New key'],
    form: { panel: 'New key' },
    sets: [
      ['Name', 'weekly'],
      ['Read only', 'ArrowRight'],
      ['Expires', 'On a date'],
    ],
    fields: ['Name', 'Selected permissions', '…', 'Expires', 'Last day', 'Create key', 'Cancel'],
    refuses: {
      press: 'Create key',
      at: 'Issue credentials with which a program acts as the agent (dangerous)',
    },
    closes: 'Cancel',
  },
  {
    name: 'revoke a key',
    source: 'areas/keys/list/revoke-dialog.tsx',
    page: '/account/keys',
    opens: ['Revoke nightly'],
    form: 'dialog',
    fields: ['Revoke the key', 'Keep it'],
  },
];

const REQUESTS: readonly Form[] = [
  {
    name: 'ask for help',
    source: 'areas/requests/people/ask-for-help.tsx',
    page: `/requests/${request}`,
    opens: ['Ask for help'],
    form: 'dialog',
    ready: 'Bob',
    fields: ['Find people', '…', 'Close'],
  },
];

const AGENTS: readonly Form[] = [
  {
    name: 'new agent',
    source: 'areas/agents/list/create-agent.tsx',
    page: '/agents',
    opens: ['New agent'],
    form: 'dialog',
    fields: ['Name', 'ID, used in addresses and rules', 'Create agent', 'Cancel'],
    refuses: { at: 'Name' },
  },
  {
    name: 'rename an agent',
    source: 'areas/agents/agent/rename.tsx',
    page: agent,
    opens: ['Rename'],
    form: 'dialog',
    fields: ['New name', 'Rename', 'Cancel'],
    refuses: { fill: { 'New name': '' }, at: 'New name' },
  },
  {
    name: 'stop an agent',
    source: 'areas/agents/stop/stop-dialog.tsx',
    page: agent,
    opens: ['Stop or archive …'],
    form: 'dialog',
    fields: [
      'Choose under Instances',
      'Choose under Instances',
      'Pause agent',
      CONFIRM,
      'Archive agent',
      'Close',
    ],
    refuses: { press: 'Archive agent', at: CONFIRM },
  },
  {
    name: 'connect an agent',
    source: 'areas/agents/connect/ways.tsx',
    page: `${agent}/connect`,
    form: { part: 'div:has(> h2:text-is("Connect"))' },
    sets: [['This machineA laptop with a terminal. You approve it with a code.', ' ']],
    fields: [
      'This machineA laptop with a terminal. You approve it with a code.',
      'Run this on the machine',
      'Copy',
      'Enter the code (opens in a new tab)',
      'A coding agent',
      'Copy',
      'Start with rules for it',
    ],
  },
];

const PATHS: readonly Form[] = [
  {
    name: 'new path',
    source: 'areas/paths/new/new-path.tsx',
    page: '/paths',
    opens: ['New path'],
    form: 'dialog',
    ready: 'Everyone who may decide',
    fields: ['Start from', 'Name', 'Key', 'Find a person or a team', '…', 'Create', 'Cancel'],
    refuses: { press: 'Create', at: 'Find a person or a team' },
  },
  {
    name: 'new path with office hours',
    source: 'areas/paths/new/new-path.tsx',
    page: '/paths',
    opens: ['New path'],
    form: 'dialog',
    ready: 'Everyone who may decide',
    sets: [['Start from', 'Office']],
    fields: [
      'Start from',
      'Name',
      'Key',
      'Find a person or a team',
      '…',
      'Time zone of the office',
      'Create',
      'Cancel',
    ],
  },
  {
    name: 'archive a path',
    source: 'areas/paths/uses/archive-path.tsx',
    page: '/paths/spare',
    opens: ['Archive …'],
    form: 'dialog',
    fields: [CONFIRM, 'Archive', 'Cancel'],
    refuses: { fill: { [CONFIRM]: 'x' }, at: CONFIRM },
  },
  {
    name: 'earlier revisions',
    source: 'shared/editor/history-drawer.tsx',
    page: '/paths/refunds',
    opens: ['History'],
    form: 'dialog',
    ready: 'Edit this one',
    fields: ['Close', 'Compare with your text', 'Edit this one'],
  },
];

const ENDPOINTS: readonly Form[] = [
  {
    name: 'new endpoint',
    source: 'areas/endpoints/list/new-endpoint.tsx',
    page: '/endpoints',
    opens: ['New endpoint'],
    form: 'dialog',
    fields: ['Name', 'Key', 'URL', 'Create endpoint', 'Cancel'],
    refuses: { fill: { Name: 'Other', Key: 'other', URL: FORBIDDEN_URL }, at: 'URL' },
  },
  {
    name: 'replace a secret',
    source: 'areas/endpoints/secret/secret-panel.tsx',
    page: '/endpoints/fraud',
    opens: ['Replace secret …'],
    form: 'dialog',
    fields: ['The old secret stops', 'Replace secret', 'Cancel'],
  },
  {
    name: 'archive an endpoint',
    source: 'areas/endpoints/endpoint/archive-endpoint.tsx',
    page: '/endpoints/fraud',
    opens: ['Archive …'],
    form: 'dialog',
    fields: ['Archive', 'Cancel'],
  },
  {
    name: 'delete a presentation',
    source: 'areas/presentations/editor/delete-button.tsx',
    page: `/presentations/${presentation}`,
    opens: ['Delete'],
    form: 'dialog',
    fields: ['Delete it', 'Keep it'],
  },
];

const PEOPLE: readonly Form[] = [
  {
    name: 'invite people',
    source: 'areas/people/invitations/invite-panel.tsx',
    page: '/people/invitations',
    form: { panel: 'Invite people' },
    fields: ['Email addresses', 'What they may do', 'Invite'],
    refuses: { press: 'Invite', at: 'Email addresses' },
  },
  {
    name: 'revoke an invitation',
    source: 'areas/people/invitations/invitations.tsx',
    page: '/people/invitations',
    opens: ['Revoke invitation for uma@example.com'],
    form: 'dialog',
    fields: ['Revoke', 'Cancel'],
  },
  {
    name: 'new team',
    source: 'areas/people/teams/team-name.tsx',
    page: '/teams',
    opens: ['New team'],
    form: 'dialog',
    fields: ['Name', 'Create team', 'Cancel'],
    refuses: { at: 'Name' },
  },
  {
    name: 'archive a team',
    source: 'areas/people/team/archive-team.tsx',
    page: `/teams/${teams.night}`,
    opens: ['Archive …'],
    form: 'dialog',
    fields: [CONFIRM, 'Archive', 'Cancel'],
    refuses: { press: 'Archive', at: CONFIRM },
  },
  {
    name: 'suspend a person',
    source: 'areas/people/member/leave-dialogs.tsx',
    page: ada,
    opens: ['Suspend …'],
    form: 'dialog',
    ready: FORCE,
    // Itself, while it reads what the person leaves behind.
    first: 'Suspend Ada',
    fields: ['refunds', 'spare', FORCE, 'Suspend', 'Cancel'],
    refuses: { press: 'Suspend', at: FORCE },
  },
  {
    name: 'remove a person',
    source: 'areas/people/member/leave-dialogs.tsx',
    page: ada,
    opens: ['Remove …'],
    form: 'dialog',
    ready: FORCE,
    first: 'Remove Ada',
    fields: ['refunds', 'spare', FORCE, CONFIRM, 'Remove', 'Cancel'],
    refuses: { press: 'Remove', at: CONFIRM },
  },
  {
    name: 'grant permissions',
    source: 'shared/access/policy-editor.tsx',
    page: ada,
    opens: ['Grant permissions'],
    form: 'dialog',
    fields: ['Owner of the organization', 'Whole organization', '…', 'Save', 'Cancel'],
    refuses: { press: 'Save', at: 'Delete the organization and everything in it (dangerous)' },
  },
  {
    name: 'grant permissions for some agents',
    source: 'shared/access/policy-editor.tsx',
    page: ada,
    opens: ['Grant permissions'],
    form: 'dialog',
    sets: [['Whole organization', 'ArrowRight']],
    fields: ['Owner of the organization', 'Some agents', 'Add an agent', '…', 'Save', 'Cancel'],
    refuses: { press: 'Save', at: 'Add an agent' },
  },
  {
    name: 'revoke permissions',
    source: 'shared/access/revoke-policy.tsx',
    page: ada,
    opens: ['Revoke'],
    form: 'dialog',
    fields: ['Revoke', 'Cancel'],
  },
];

const section = 'areas/settings/section-panel.tsx';
const SETTINGS: readonly Form[] = [
  {
    name: 'the name of the organization',
    source: section,
    page: '/settings',
    form: { form: 'Name' },
    fields: ['Name', '…'],
  },
  {
    name: 'claims',
    source: section,
    page: '/settings',
    form: { form: 'Claims' },
    fields: ['A claim ends after', 'Unit of A claim ends after'],
    refuses: { fill: { 'A claim ends after': '9999' }, at: 'A claim ends after' },
  },
  {
    name: 'hidden values',
    source: section,
    page: '/settings',
    form: { form: 'Hidden values' },
    fields: ['Common names of secrets', 'Add a name', 'Add', 'Try it on arguments', '…'],
  },
  {
    name: 'rules of keys',
    source: section,
    page: '/settings',
    form: { form: 'API keys' },
    fields: ['Allow personal API keys', 'A new key lives at most'],
  },
  {
    name: 'delete the organization',
    source: 'areas/settings/deletion.tsx',
    page: '/settings',
    opens: ['Delete the organization …'],
    form: 'dialog',
    fields: [CONFIRM, 'Delete for good', 'Cancel'],
    refuses: { press: 'Delete for good', at: CONFIRM },
  },
  {
    name: 'new webhook',
    source: 'areas/channels/list/channel-form.tsx',
    page: '/settings/channels',
    opens: ['New webhook'],
    form: 'dialog',
    fields: ['Name', 'URL', 'Include the arguments of the call', 'Create', 'Cancel'],
    refuses: { fill: { Name: 'Bot', URL: FORBIDDEN_URL }, at: 'URL' },
  },
  {
    name: 'replace the secret of a channel',
    source: 'areas/channels/list/channels.tsx',
    page: '/settings/channels',
    opens: ['More for Pager', 'Replace the signing secret …'],
    form: 'dialog',
    fields: ['The old secret stops', 'Replace secret', 'Cancel'],
  },
  {
    name: 'delete a channel',
    source: 'areas/channels/list/channel-item.tsx',
    page: '/settings/channels',
    opens: ['More for Pager', 'Delete …'],
    form: 'dialog',
    fields: [CONFIRM, 'Delete channel', 'Cancel'],
    refuses: { press: 'Delete channel', at: CONFIRM },
  },
  {
    name: 'new key of the organization',
    source: 'areas/keys/organization/new-organization-key.tsx',
    page: '/settings/keys',
    opens: ['New organization key'],
    form: { panel: 'New organization key' },
    ready: 'Expires',
    fields: ['Name', 'Whole organization', '…', 'Expires', 'Create key', 'Cancel'],
    refuses: { at: 'Name' },
    closes: 'Cancel',
  },
  {
    name: 'connect Slack',
    source: 'areas/channels/slack/connect.tsx',
    page: '/settings/slack',
    form: { form: 'Connect a workspace' },
    fields: ['Open Slack', '…', 'Connect Slack'],
    refuses: { press: 'Connect Slack', at: 'Bot user OAuth token' },
  },
  {
    name: 'export the audit log',
    source: 'areas/audit/export-dialog.tsx',
    page: '/settings/audit',
    opens: ['Export'],
    form: 'dialog',
    fields: ['With proof', 'Verify the file', 'Copy', 'Download', 'Close'],
  },
  {
    name: 'an event of the audit log',
    source: 'areas/audit/event-drawer.tsx',
    page: '/settings/audit?type=invitation.created',
    opens: [/^Details/],
    form: 'dialog',
    fields: ['Close', '…', 'Everything this actor did', 'All events of this subject', 'Copy ID'],
  },
];

export const FORMS = [
  SIGN_IN,
  ACCOUNT,
  REQUESTS,
  AGENTS,
  PATHS,
  ENDPOINTS,
  PEOPLE,
  SETTINGS,
].flat();

/** Those that only come after other steps, with the test that takes these steps and goes on by keys. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'app/palette/palette.tsx': 'app/palette.full.test.ts',
  'areas/account/second-factor/enrollment.tsx': 'account-second-factor.full.test.ts',
  'areas/channels/slack/dialogs.tsx': 'channels/slack.full.test.ts',
  'areas/channels/slack/people.tsx': 'channels/slack.full.test.ts',
  'areas/keys/organization/new-organization-key.tsx': 'keys/organization-keys.full.test.ts',
  'areas/paths/policy/stop-policy.tsx': 'paths/policy.full.test.ts',
  'areas/requests/queue/batch-deny/batch-deny-dialog.tsx': 'requests/queue-batch-deny.full.test.ts',
  'areas/requests/queue/key-list.tsx': 'requests/queue-keys.full.test.ts',
  'areas/rules/outcomes/past-request.tsx': 'rules/outcomes.full.test.ts',
  'areas/sign-in/enrollment-target.tsx': 'sign-in-enroll.full.test.ts',
  'areas/sign-in/forgot-password.tsx': 'sign-in.test.ts',
  'areas/sign-in/join-forms.tsx': 'sign-in-joining.full.test.ts',
  'areas/sign-in/reset-password.tsx': 'sign-in-joining.full.test.ts',
  'areas/sign-in/second-factor.tsx': 'sign-in.test.ts',
  'areas/sign-in/welcome.tsx': 'welcome.full.test.ts',
  'shared/session/recent-authentication-dialog.tsx': 'recent-authentication.full.test.ts',
};

/** What the others are made of, and dialogs that are one of these parts with another text. */
export const PARTS: readonly string[] = [
  'areas/people/member/identities.tsx',
  'areas/people/member/reset-factor.tsx',
  'areas/people/team/roster.tsx',
  'shared/design/dialogs/confirm-by-name.tsx',
  'shared/design/dialogs/consequence.tsx',
  'shared/design/dialogs/drawer.tsx',
  'shared/design/dialogs/leave-dialog.tsx',
  'shared/design/dialogs/modal.tsx',
  'shared/design/dialogs/still-in-use.tsx',
  'shared/editor/conflict-note.tsx',
  'shared/editor/save-dialog.tsx',
  'shared/forms/code-form.tsx',
  'shared/forms/form.tsx',
  'shared/secrets/replace-secret.tsx',
];
