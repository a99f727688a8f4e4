/** Passwords as argon2id, with the parameters OWASP names first. A wrong password and no password take the same time. */
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The PHC string to keep. */
export async function hashPassword(password: string): Promise<string> {
  return await hash(normalized(password), ARGON2ID);
}

let standIn: Promise<string> | undefined;

/** Whether the password is the hash's; without a hash it is compared with one nobody knows the password of. */
export async function verifyPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  standIn ??= hashPassword(randomBytes(32).toString('base64url'));
  const fallback = await standIn;
  const matches = await verify(passwordHash ?? fallback, normalized(password));
  return matches && passwordHash !== undefined;
}

/** The same characters typed on different keyboards are the same password. */
function normalized(password: string): string {
  return password.normalize('NFKC');
}
