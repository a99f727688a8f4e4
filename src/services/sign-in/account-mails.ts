/** Tells people by email what happened to their account. */
import { accountMail, type AccountNews } from '../../domain/sign-in/account-mails.ts';
import { findSessionOrigin } from '../../data/sign-in/session-origins.ts';
import { networkOf } from '../../platform/network/client-address.ts';
import type { Runtime, ServiceContext } from '../context.ts';

export interface AccountHolder {
  readonly email: string;
  readonly displayName: string;
}

/**
 * Call it after the commit. Sends in the background, once, where the deployment sends email. The
 * audit log has the same news, so a message that fails is only logged.
 */
export function tellAccountHolder(
  { mailer, logger, publicUrl }: Pick<Runtime, 'mailer' | 'logger' | 'publicUrl'>,
  { email, displayName }: AccountHolder,
  news: AccountNews,
): void {
  if (!mailer) return;
  const mail = accountMail(news, { displayName, at: new Date(), url: publicUrl() });
  mailer.send({ to: email, ...mail }).catch((error: unknown) => {
    logger.warn({ err: error, kind: news.kind }, 'an email about an account could not be sent');
  });
}

/**
 * Call it after a session was opened. A network is one IPv4 address or one IPv6 /64. It is new when no
 * session of the member in the last 90 days began there. The very first session tells nothing.
 */
export function tellOfNewNetwork(context: ServiceContext, sessionId: string): void {
  if (!context.mailer) return;
  lookForNewNetwork(context, sessionId).catch((error: unknown) => {
    context.logger.warn({ err: error }, 'the network of a sign-in could not be compared');
  });
}

async function lookForNewNetwork(context: ServiceContext, sessionId: string): Promise<void> {
  const origin = await findSessionOrigin(context.db, sessionId);
  if (!origin || origin.earlierAddresses.length === 0) return;
  const { clientAddress: address, userAgent } = origin;
  if (origin.earlierAddresses.some((earlier) => networkOf(earlier) === networkOf(address))) return;
  tellAccountHolder(context, origin, { kind: 'new_network', address, userAgent });
}
