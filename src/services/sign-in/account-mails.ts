/** Tells people by email what happened to their account. */
import { accountMail, type AccountNews } from '../../domain/sign-in/account-mails.ts';
import type { Runtime } from '../context.ts';

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
