/**
 * Emails to a person about their own account, so that they notice what they did not do themselves. Subjects are fixed
 * texts: names and addresses appear in the text only.
 */
import { shownInstant, shownLine } from '../shown-text.ts';

/** What happened to an account. `by`: the display name of another person who did it. */
export type AccountNews =
  | { readonly kind: 'second_factor_added' | 'second_factor_removed'; readonly by?: string }
  | { readonly kind: 'api_key_created'; readonly name: string }
  | { readonly kind: 'slack_linked' }
  | { readonly kind: 'slack_unlinked' | 'slack_link_ended'; readonly by: string }
  | { readonly kind: 'owner_recovery'; readonly name: string }
  | { readonly kind: 'password_reset'; readonly liveKeys: readonly string[] }
  | { readonly kind: 'new_network'; readonly address: string; readonly userAgent: string };

export interface AccountMail {
  readonly subject: string;
  readonly text: string;
}

export interface AboutAccount {
  readonly displayName: string;
  readonly at: Date;
  /** Where the person signs in. */
  readonly url: string;
}

const SUBJECTS: Readonly<Record<AccountNews['kind'], string>> = {
  second_factor_added: 'A second factor was added to your Countersign account',
  second_factor_removed: 'The second factor of your Countersign account was removed',
  api_key_created: 'An API key was created in your Countersign account',
  slack_linked: 'A Slack account was linked to your Countersign account',
  slack_unlinked: 'Your Slack account is no longer linked to Countersign',
  slack_link_ended: 'Your Slack account is no longer linked to Countersign',
  owner_recovery: 'An owner of your Countersign organization is being recovered',
  password_reset: 'The password of your Countersign account was reset',
  new_network: 'Your Countersign account was used from a new network',
};

const LONGEST = 200;
const line = (text: string): string => shownLine(text, LONGEST);

function happened(news: AccountNews): readonly string[] {
  switch (news.kind) {
    case 'second_factor_added':
      return ['A second factor was added to your account. Your other sessions ended.'];
    case 'second_factor_removed':
      return [
        news.by === undefined
          ? 'The second factor of your account was removed.'
          : `${line(news.by)} removed the second factor of your account, and your sessions ended.`,
      ];
    case 'api_key_created':
      return [`The API key "${line(news.name)}" was created. It acts with your rights.`];
    case 'slack_linked':
      return ['A Slack account was linked to your account. Its decisions count as yours.'];
    case 'slack_unlinked':
      return [
        `${line(news.by)} changed the Slack connection of your organization, so every link with Slack ended.`,
        'Until you link your Slack account again, buttons in Slack decide nothing for you.',
        'If you do not expect this change, ask before you link again.',
      ];
    case 'slack_link_ended':
      return [
        `${line(news.by)} ended the link between your account and Slack.`,
        'Until you link your Slack account again, buttons in Slack decide nothing for you.',
      ];
    case 'owner_recovery':
      return [
        `Someone on the machine of the service made a link for ${line(news.name)}, who is an owner. It works once, within an hour.`,
        'It sets a new password for them and removes their second factor.',
        'If you do not expect this, ask them and those who run the service at once.',
      ];
    case 'password_reset':
      return [
        'Your password was reset through a link in an email, and all your sessions ended.',
        ...(news.liveKeys.length === 0
          ? []
          : [
              'These API keys still work. Revoke those that you do not need:',
              ...news.liveKeys.map((name) => `  - ${line(name)}`),
            ]),
      ];
    case 'new_network':
      return [
        'Someone signed in to your account from a network that it was not used from in the last 90 days.',
        `Address: ${line(news.address)}`,
        `Browser: ${line(news.userAgent === '' ? 'unknown' : news.userAgent)}`,
      ];
  }
}

export function accountMail(
  news: AccountNews,
  { displayName, at, url }: AboutAccount,
): AccountMail {
  const text = [
    `Hello ${shownLine(displayName)},`,
    '',
    ...happened(news),
    '',
    `Time: ${shownInstant(at)}`,
    '',
    'If this was not you, sign in, change your password, end your sessions, and tell an owner of your organization:',
    '',
    url,
    '',
  ].join('\n');
  return { subject: SUBJECTS[news.kind], text };
}
