/**
 * Slows down whoever guesses: ten attempts a minute for one email from one address, and for who has the password already,
 * twenty wrong codes an hour of one authenticator app, from wherever. Recovery codes, which nobody guesses, stay open then.
 */
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { AppError } from '../domain/errors.ts';
import { countSignInAttempt, forgetSignInAttempts } from '../data/sign-in-attempts.ts';
import type { ServiceContext } from './context.ts';

const ATTEMPTS_A_MINUTE = 10;
const WRONG_CODES_AN_HOUR = 20;
const HOUR_S = 3_600;

/** Counts the attempt, right or wrong. 429 `rate_limited` says how many seconds are left of the minute. */
export async function admitSignInAttempt(
  context: ServiceContext,
  { email, clientAddress }: { readonly email: string; readonly clientAddress: string },
): Promise<void> {
  const key = createHash('sha256')
    .update(`${email.toLowerCase()}\n${networkOf(clientAddress)}`)
    .digest();
  const { attempts, secondsLeft } = await countSignInAttempt(context.db, key);
  if (attempts > ATTEMPTS_A_MINUTE) throw new AppError('rate_limited', { retryAfterSeconds: secondsLeft });
}

/** Counts a code of the person's app before it is looked at. 429 `rate_limited`. */
export async function admitTotpCode({ db }: ServiceContext, userId: string): Promise<void> {
  const { attempts, secondsLeft } = await countSignInAttempt(db, totpKey(userId), HOUR_S);
  if (attempts > WRONG_CODES_AN_HOUR) throw new AppError('rate_limited', { retryAfterSeconds: secondsLeft });
}

/** The code was right: only wrong ones count. */
export async function forgetTotpCodes({ db }: ServiceContext, userId: string): Promise<void> {
  await forgetSignInAttempts(db, totpKey(userId));
}

function totpKey(userId: string): Buffer {
  return createHash('sha256').update(`totp\n${userId}`).digest();
}

/** Whoever has one IPv6 address usually has the whole /64, so that counts as one. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const zeros = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  return [...groups, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...(tail ? tail.split(':') : [])].slice(0, 4).join(':');
}
