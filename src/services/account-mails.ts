/**
 * Tells people by email what happened to their account. The email is written in the transaction of the change, and sent
 * after its commit. Every process with a worker sends what could not be sent then.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { accountMail, type AccountNews } from '../domain/sign-in/account-mails.ts';
import {
  deleteAccountMail,
  insertAccountMail,
  leaseAccountMails,
  type AccountMailToSend,
} from '../data/sign-in/account-mails.ts';
import { findSessionOrigin } from '../data/sign-in/session-origins.ts';
import { MailRefused } from '../platform/mailer.ts';
import { networkOf } from '../platform/network/client-address.ts';
import type { Trx } from '../platform/postgres.ts';
import type { ServiceContext } from './context.ts';

export interface AccountHolder {
  readonly email: string;
  readonly displayName: string;
}

/** Does nothing where the deployment sends no email. */
export async function tellAccountHolder(
  trx: Trx,
  context: ServiceContext,
  { holder, news }: { readonly holder: AccountHolder; readonly news: AccountNews },
): Promise<void> {
  if (!context.mailer) return;
  const { displayName, email: address } = holder;
  const about = { displayName, at: new Date(), url: context.publicUrl() };
  const { subject, text: body } = accountMail(news, about);
  const mail = await insertAccountMail(trx, { address, subject, body });
  trx.executionPromise.then(
    () => send(context, mail),
    () => undefined,
  );
}

/** Never rejects. */
async function send(
  { db, mailer, logger }: ServiceContext,
  { id, address, subject, body, isLast }: AccountMailToSend,
): Promise<void> {
  try {
    await mailer?.send({ to: address, subject, text: body, id });
  } catch (error) {
    const goesOn = !isLast && !(error instanceof MailRefused);
    logger.warn({ err: error, accountMail: id, goesOn }, 'an email about an account was not sent');
    if (goesOn) return;
  }
  await deleteAccountMail(db, id).catch((error: unknown) => {
    logger.warn({ err: error, accountMail: id }, 'an email about an account may be sent twice');
  });
}

const EVERY_MS = 5_000;
const AT_ONCE = 8;

/** Sends what is due, in every process with a worker. */
export function startAccountMails(
  context: ServiceContext,
  { everyMs = EVERY_MS } = {},
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const round = async (): Promise<void> => {
    for (let sent = AT_ONCE; sent === AT_ONCE && !stopping.signal.aborted;) {
      const due = await leaseAccountMails(context.db, AT_ONCE);
      await Promise.all(due.map((mail) => send(context, mail)));
      sent = due.length;
    }
  };
  const run = async (): Promise<void> => {
    while (await delay(everyMs, true, { signal: stopping.signal }).catch(() => false))
      await round().catch((error: unknown) => {
        context.logger.warn({ err: error }, 'emails about accounts could not be read');
      });
  };
  const running = context.mailer ? run() : Promise.resolve();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
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
  const holder = await findSessionOrigin(context.db, sessionId);
  if (!holder || holder.earlierAddresses.length === 0) return;
  const { clientAddress: address, userAgent } = holder;
  if (holder.earlierAddresses.some((earlier) => networkOf(earlier) === networkOf(address))) return;
  const news = { kind: 'new_network', address, userAgent } as const;
  await context.db.transaction((trx) => tellAccountHolder(trx, context, { holder, news }));
}
