/** The invitation emails. */
import type { MemberPrincipal } from '../../../domain/people/authorization.ts';
import { shownInstant, shownLine } from '../../../domain/shown-text.ts';
import type { Email } from '../../../platform/mailer.ts';

export interface InvitationMessage {
  readonly email: string;
  readonly organizationName: string;
  readonly inviter: Pick<MemberPrincipal, 'displayName' | 'email'>;
  readonly url: string;
  readonly expiresAt: Date;
}

export function invitationEmail({
  email,
  inviter,
  url,
  expiresAt,
  ...message
}: InvitationMessage): Email {
  const [inviterName, organizationName] = [
    shownLine(inviter.displayName),
    shownLine(message.organizationName),
  ];
  return {
    to: email,
    subject: `${inviterName} invites you to join ${organizationName}`,
    text: [
      `${inviterName} (${inviter.email}) invites you to join ${organizationName} on Countersign, where people decide`,
      'what AI agents may do.',
      '',
      'To join, open this link. It is meant for you alone: do not pass it on.',
      '',
      url,
      '',
      `It works once, until ${shownInstant(expiresAt)}.`,
      'If you did not expect this invitation, ignore it: then nothing happens.',
      '',
    ].join('\n'),
  };
}
