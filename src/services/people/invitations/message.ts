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
      `${inviterName} (${inviter.email}) invites you to join ${organizationName} on Countersign,`,
      'where people approve or deny what AI agents want to do.',
      '',
      'Accept the invitation:',
      '',
      url,
      '',
      `The link is only for you and works once. It expires on ${shownInstant(expiresAt)}.`,
      '',
      'If you did not expect this invitation, you can ignore this email.',
      '',
    ].join('\n'),
  };
}
