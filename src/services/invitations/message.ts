/** The emails that ask people to join. */
import type { MemberPrincipal } from '../../domain/authorization.ts';
import type { Email } from '../../platform/mailer.ts';
import { oneLine } from '../notifications/message.ts';

export interface InvitationMessage {
  readonly email: string;
  readonly organizationName: string;
  readonly inviter: Pick<MemberPrincipal, 'displayName' | 'email'>;
  readonly url: string;
  readonly expiresAt: Date;
}

export function invitationEmail({ email, inviter, url, expiresAt, ...message }: InvitationMessage): Email {
  const [inviterName, organizationName] = [oneLine(inviter.displayName), oneLine(message.organizationName)];
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
      `It works once, until ${readable(expiresAt)}.`,
      'If you did not expect this invitation, ignore it: then nothing happens.',
      '',
    ].join('\n'),
  };
}

/** `2026-03-09 08:30 UTC`. */
function readable(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
