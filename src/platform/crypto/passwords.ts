/**
 * Passwords as argon2id, with OWASP's first choice of parameters. A wrong password and no password
 * take the same time. A hash takes 20 MB and some 25 ms of a core, so few run at once and the queue
 * is bounded, in all and per network.
 */
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { bulkhead } from '../bulkhead.ts';

const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Four threads also read files and resolve names for the whole process, so two stay free. */
const hashing = bulkhead({ atOnce: 2, waiting: 50, waitingEach: 12 });

/**
 * The PHC string to store. `onBehalfOf`: the share of work that it counts for, such as a client's
 * network. Throws Overloaded.
 */
export async function hashPassword(password: string, onBehalfOf?: string): Promise<string> {
  return await hashing(() => hash(normalized(password), ARGON2ID), onBehalfOf);
}

let standIn: Promise<string> | undefined;

/**
 * Whether the password matches the hash. Without a hash it verifies against a random one, which
 * takes as long. Otherwise as above.
 */
export async function verifyPassword(
  password: string,
  passwordHash: string | undefined,
  onBehalfOf?: string,
): Promise<boolean> {
  return await hashing(async () => {
    standIn ??= hash(randomBytes(32).toString('base64url'), ARGON2ID);
    const fallback = await standIn;
    const matches = await verify(passwordHash ?? fallback, normalized(password));
    return matches && passwordHash !== undefined;
  }, onBehalfOf);
}

/** The same characters typed on different keyboards are the same password. */
function normalized(password: string): string {
  return password.normalize('NFKC');
}
