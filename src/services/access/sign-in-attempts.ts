/**
 * Limits guessing without locking out the right person. A minute allows ten attempts for one email
 * from one network, sixty from one network, and ten re-authentications in one session. An hour
 * allows twenty wrong codes of one authenticator app; recovery codes stay usable, since they cannot
 * be guessed. An invitation can be resent five times an hour. A network starts ten enrollments a
 * minute, and a person tries five wrong codes of enrollments. A network registers twenty clients of OAuth a minute, and
 * makes three hundred calls of OAuth that fail: the programs of many people may share one network. A page of another site has
 * its own limits there.
 */
import { createHash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import {
  incrementSignInAttempts,
  deleteSignInAttempts,
  uncountSignInAttempts,
} from '../../data/sign-in/sign-in-attempts.ts';
import { networkOf } from '../../platform/network/client-address.ts';
import type { Db, Trx } from '../../platform/postgres.ts';

const ATTEMPTS_A_MINUTE = 10;
const ATTEMPTS_OF_A_NETWORK_A_MINUTE = 60;
const WRONG_CODES_AN_HOUR = 20;
const RESENDINGS_AN_HOUR = 5;
const ENROLLMENTS_A_MINUTE = 10;
const WRONG_USER_CODES_A_MINUTE = 5;
const OAUTH_CLIENTS_A_MINUTE = 20;
const OAUTH_ATTEMPTS_A_MINUTE = 300;
/** As many creates of one instance would have to be cut in a minute. */
const WITHDRAWN_KEYS_A_MINUTE = 600;
/** The calls of so many pages fit into what all pages of a network may call. */
const PAGES_OF_A_NETWORK = 5;
const VERIFICATIONS_A_MINUTE = 10;
const CHALLENGES_A_MINUTE = 30;
const HOUR_S = 3_600;

/** The pool, or the transaction that a count belongs to. */
interface Database {
  readonly db: Db;
}

export interface SignInAttempt {
  readonly email: string;
  readonly clientAddress: string;
}

/**
 * Counts an attempt for its email. 429 `rate_limited` carries the seconds left in the minute. The
 * endpoint counts it for its network first, so that a flood of invented emails makes no rows.
 */
export async function countSignInAttempt(context: Database, by: SignInAttempt): Promise<void> {
  await countAttempt(context, emailKey(by), ATTEMPTS_A_MINUTE);
}

/** Counts an attempt by its network before the body is read. 429 `rate_limited`. */
export async function countNetworkAttempt(context: Database, clientAddress: string): Promise<void> {
  await countAttempt(context, networkKey(clientAddress), ATTEMPTS_OF_A_NETWORK_A_MINUTE);
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
export async function countRenewal(context: Database, sessionId: string): Promise<void> {
  await countAttempt(context, keyOf('session', sessionId), ATTEMPTS_A_MINUTE);
}

export async function forgiveRenewal({ db }: Database, sessionId: string): Promise<void> {
  await uncountSignInAttempts(db, [keyOf('session', sessionId)], 1);
}

/** Counts a code of the person's app before it is checked. 429 `rate_limited`. */
export async function countTotpCode({ db }: Database, userId: string): Promise<void> {
  const { attempts, secondsLeft } = await incrementSignInAttempts(
    db,
    [keyOf('totp', userId)],
    HOUR_S,
  );
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
export async function countResending({ db }: Database, invitationId: string): Promise<void> {
  const { attempts, secondsLeft } = await incrementSignInAttempts(
    db,
    [keyOf('invitation', invitationId)],
    HOUR_S,
  );
  if (attempts <= RESENDINGS_AN_HOUR) return;
  const detail = `The invitation was resent ${RESENDINGS_AN_HOUR} times within the hour: wait as long as Retry-After says.`;
  throw new AppError('rate_limited', { detail, retryAfterSeconds: secondsLeft });
}

/** Counts the start of an enrollment. 429 `rate_limited`. */
export async function countEnrollmentStart(
  context: Database,
  clientAddress: string,
): Promise<void> {
  await countAttempt(context, keyOf('enrollment', networkOf(clientAddress)), ENROLLMENTS_A_MINUTE);
}

/** Where a call of OAuth comes from. */
export interface OAuthCaller {
  readonly address: string;
  /** The page of another site that makes its visitor's browser call: its origin, or what the browser says instead. */
  readonly page: string | undefined;
}

/** Counts a client of OAuth that is registered, or whose metadata document is read. 429 `rate_limited`. */
export async function countClientSeen(context: Database, caller: OAuthCaller): Promise<void> {
  await countCaller(context, 'oauth client', { caller, most: OAUTH_CLIENTS_A_MINUTE });
}

/** Counts a call of OAuth before anything is looked up. 429 `rate_limited`. */
export async function countOAuthAttempt(context: Database, caller: OAuthCaller): Promise<void> {
  await countCaller(context, 'oauth', { caller, most: OAUTH_ATTEMPTS_A_MINUTE });
}

/** Takes back a call that was right: only others count. */
export async function forgiveOAuthAttempt({ db }: Database, caller: OAuthCaller): Promise<void> {
  await uncountSignInAttempts(db, Object.values(callerKeys('oauth', caller)), 1);
}

/**
 * Programs count by their network. Pages of other sites count apart, each by its origin, so that a page takes nothing from
 * the programs of its visitors. Programs can invent origins, so all pages of a network have a limit, too.
 */
async function countCaller(
  context: Database,
  kind: string,
  { caller, most }: { readonly caller: OAuthCaller; readonly most: number },
): Promise<void> {
  const { own, all } = callerKeys(kind, caller);
  await countAttempt(context, own, most);
  if (all) await countAttempt(context, all, most * PAGES_OF_A_NETWORK);
}

function callerKeys(kind: string, { address, page }: OAuthCaller): { own: Buffer; all?: Buffer } {
  const network = networkOf(address);
  if (page === undefined) return { own: keyOf(kind, network) };
  return {
    own: keyOf(`${kind} page`, `${network}\n${page}`),
    all: keyOf(`${kind} pages`, network),
  };
}

/** Counts a key that an agent instance withdraws and that has no request, since each is kept for a day. 429 `rate_limited`. */
export async function countWithdrawnKey(trx: Trx, instanceId: string): Promise<void> {
  await countAttempt({ db: trx }, keyOf('withdrawn key', instanceId), WITHDRAWN_KEYS_A_MINUTE);
}

/** Counts the code of an enrollment before it is looked up. 429 `rate_limited`. */
export async function countUserCode(context: Database, userId: string): Promise<void> {
  await countAttempt(context, keyOf('user code', userId), WRONG_USER_CODES_A_MINUTE);
}

/** Takes back a code that was right: only wrong ones count. */
export async function forgiveUserCode({ db }: Database, userId: string): Promise<void> {
  await uncountSignInAttempts(db, [keyOf('user code', userId)], 1);
}

/** Counts a verification by the provisioner token that causes it. 429 `rate_limited`. */
export async function countVerification(context: Database, provisionerId: string): Promise<void> {
  await countAttempt(context, keyOf('verification', provisionerId), VERIFICATIONS_A_MINUTE);
}

/** Counts a verification by the host and the addresses that may get the challenge. 429 `rate_limited`. */
export async function countDestinations(
  context: Database,
  destinations: readonly string[],
): Promise<void> {
  const keys = destinations.map((destination) => keyOf('challenge', destination));
  await countAttempts(context, keys, CHALLENGES_A_MINUTE);
}

async function countAttempt(context: Database, key: Buffer, most: number): Promise<void> {
  await countAttempts(context, [key], most);
}

async function countAttempts(
  { db }: Database,
  keys: readonly Buffer[],
  most: number,
): Promise<void> {
  const { attempts, secondsLeft } = await incrementSignInAttempts(db, keys);
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
