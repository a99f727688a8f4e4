/**
 * Limits guessing without locking out the right person. A minute allows ten attempts for one email
 * from one network, sixty from one network, and ten re-authentications in one session. An hour
 * allows twenty wrong codes of one authenticator app; recovery codes stay usable, since they cannot
 * be guessed. An invitation can be resent five times an hour. A network starts ten enrollments a
 * minute, and a person tries five wrong codes of enrollments.
 */
import { createHash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import {
  countSignInAttempt,
  deleteSignInAttempts,
  uncountSignInAttempts,
} from '../../data/sign-in/sign-in-attempts.ts';
import { networkOf } from '../../platform/network/client-address.ts';
import type { ServiceContext } from '../context.ts';

const ATTEMPTS_A_MINUTE = 10;
const ATTEMPTS_OF_A_NETWORK_A_MINUTE = 60;
const WRONG_CODES_AN_HOUR = 20;
const RESENDINGS_AN_HOUR = 5;
const ENROLLMENTS_A_MINUTE = 10;
const WRONG_USER_CODES_A_MINUTE = 5;
const HOUR_S = 3_600;

type Database = Pick<ServiceContext, 'db'>;

export interface SignInAttempt {
  readonly email: string;
  readonly clientAddress: string;
}

/**
 * Counts an attempt for its email. 429 `rate_limited` carries the seconds left in the minute. The
 * endpoint counts it for its network first, so that a flood of invented emails makes no rows.
 */
export async function admitSignInAttempt(context: Database, by: SignInAttempt): Promise<void> {
  await admit(context, emailKey(by), ATTEMPTS_A_MINUTE);
}

/** Counts an attempt by its network before the body is read. 429 `rate_limited`. */
export async function admitFromNetwork(context: Database, clientAddress: string): Promise<void> {
  await admit(context, networkKey(clientAddress), ATTEMPTS_OF_A_NETWORK_A_MINUTE);
}

/**
 * Takes back `attempts` successful attempts, so that they block neither the person nor others of
 * the network.
 */
export async function forgiveSignInAttempts(
  { db }: Database,
  by: SignInAttempt,
  attempts = 1,
): Promise<void> {
  await uncountSignInAttempts(db, [emailKey(by), networkKey(by.clientAddress)], attempts);
}

/** Takes back a successful attempt that named no email. */
export async function forgiveNetwork({ db }: Database, clientAddress: string): Promise<void> {
  await uncountSignInAttempts(db, [networkKey(clientAddress)], 1);
}

/**
 * Counts a re-authentication in a session; other sessions have their own count. 429 `rate_limited`.
 */
export async function admitRenewal(context: Database, sessionId: string): Promise<void> {
  await admit(context, keyOf('session', sessionId), ATTEMPTS_A_MINUTE);
}

export async function forgiveRenewal({ db }: Database, sessionId: string): Promise<void> {
  await uncountSignInAttempts(db, [keyOf('session', sessionId)], 1);
}

/** Counts a code of the person's app before it is checked. 429 `rate_limited`. */
export async function admitTotpCode({ db }: Database, userId: string): Promise<void> {
  const { attempts, secondsLeft } = await countSignInAttempt(db, keyOf('totp', userId), HOUR_S);
  if (attempts <= WRONG_CODES_AN_HOUR) return;
  const detail =
    'Too many wrong codes from the authenticator app: wait as long as Retry-After says, or use a recovery code.';
  throw new AppError('rate_limited', { detail, retryAfterSeconds: secondsLeft });
}

/** Takes back a correct code: only wrong ones count. */
export async function deleteTotpCodes({ db }: Database, userId: string): Promise<void> {
  await deleteSignInAttempts(db, keyOf('totp', userId));
}

/** Counts a message sent to a person at another person's request. 429 `rate_limited`. */
export async function admitResending({ db }: Database, invitationId: string): Promise<void> {
  const { attempts, secondsLeft } = await countSignInAttempt(
    db,
    keyOf('invitation', invitationId),
    HOUR_S,
  );
  if (attempts <= RESENDINGS_AN_HOUR) return;
  const detail = `The invitation was resent ${RESENDINGS_AN_HOUR} times within the hour: wait as long as Retry-After says.`;
  throw new AppError('rate_limited', { detail, retryAfterSeconds: secondsLeft });
}

/** Counts the start of an enrollment. 429 `rate_limited`. */
export async function admitEnrollmentStart(
  context: Database,
  clientAddress: string,
): Promise<void> {
  await admit(context, keyOf('enrollment', networkOf(clientAddress)), ENROLLMENTS_A_MINUTE);
}

/** Counts the code of an enrollment before it is looked up. 429 `rate_limited`. */
export async function admitUserCode(context: Database, userId: string): Promise<void> {
  await admit(context, keyOf('user code', userId), WRONG_USER_CODES_A_MINUTE);
}

/** Takes back a code that was right: only wrong ones count. */
export async function forgiveUserCode({ db }: Database, userId: string): Promise<void> {
  await uncountSignInAttempts(db, [keyOf('user code', userId)], 1);
}

async function admit({ db }: Database, key: Buffer, most: number): Promise<void> {
  const { attempts, secondsLeft } = await countSignInAttempt(db, key);
  if (attempts > most) throw new AppError('rate_limited', { retryAfterSeconds: secondsLeft });
}

const emailKey = ({ email, clientAddress }: SignInAttempt) =>
  keyOf(email.toLowerCase(), networkOf(clientAddress));
const networkKey = (clientAddress: string) => keyOf('network', networkOf(clientAddress));

/**
 * Only digests are stored, so that the table does not reveal who tried. Emails contain an @, so
 * kinds cannot collide.
 */
function keyOf(kind: string, of: string): Buffer {
  return createHash('sha256').update(`${kind}\n${of}`).digest();
}
