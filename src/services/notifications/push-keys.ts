/** The key pair that signs push messages: made once, and sealed. */
import { v7 } from 'uuid';
import { findPushKey, insertPushKey } from '../../data/notifications/push-keys.ts';
import { AppError } from '../../domain/errors.ts';
import type { StoredPushKey } from '../../domain/notifications/push-subscriptions.ts';
import { SEALED_FOR } from '../../domain/sealed-secrets.ts';
import { newVapidKeys, type VapidKeys } from '../../platform/crypto/web-push.ts';
import type { Runtime, MessageContext } from '../context.ts';

/** The public key, for browsers. Makes the pair at the first call. Throws 501 `secrets_key_missing`. */
export async function readPushKey({ db, secrets }: MessageContext): Promise<string> {
  if (!secrets) throw new AppError('secrets_key_missing');
  const known = await findPushKey(db);
  if (known) return known.publicKey;
  const { publicKey, privateKey } = newVapidKeys();
  const id = v7();
  const sealed = secrets.seal(Buffer.from(privateKey), SEALED_FOR.pushKey(id));
  await insertPushKey(db, { id, publicKey, privateKey: sealed });
  // Another process may have been first.
  const stored = await findPushKey(db);
  if (!stored) throw new Error('the key for push messages is gone right after it was made');
  return stored.publicKey;
}

/** Undefined when its secrets key is not configured, or the stored value was changed. */
export function openPushKey(
  { secrets }: Pick<Runtime, 'secrets'>,
  { id, publicKey, privateKey }: StoredPushKey,
): VapidKeys | undefined {
  try {
    const opened = secrets?.open(privateKey, SEALED_FOR.pushKey(id));
    return opened && { publicKey, privateKey: opened.toString() };
  } catch {
    return undefined;
  }
}
