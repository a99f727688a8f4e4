/**
 * Passwords as argon2id, with the parameters OWASP names first. A wrong password and no password take the same time. A hash
 * takes 20 MB and some 25 ms of a core: only a few are made at once, and beyond a second's worth of them nobody may wait,
 * nor anybody beyond a quarter of that.
 */
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { bulkhead } from '../bulkhead.ts';

const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Of the four threads that also read files and resolve names for the whole process, two stay free. */
const hashing = bulkhead({ atOnce: 2, waiting: 50, waitingEach: 12 });

/** The PHC string to keep. `onBehalfOf`: whose share of the work it is, such as a client's network. Throws Overloaded. */
export async function hashPassword(password: string, onBehalfOf?: string): Promise<string> {
  return await hashing(() => hash(normalized(password), ARGON2ID), onBehalfOf);
}

let standIn: Promise<string> | undefined;

/** Whether the password is the hash's; without a hash it is compared with one nobody knows the password of. Otherwise as above. */
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
