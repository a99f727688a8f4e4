/** The two secrets of a Slack app, sealed for its notification channel. */
import type { SlackConnection } from '../../../domain/notifications/slack/connections.ts';
import { AppError } from '../../../domain/errors.ts';
import { SEALED_FOR } from '../../../domain/sealed-secrets.ts';
import type { SealedSecret, SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Runtime } from '../../context.ts';

export interface SlackSecrets {
  readonly botToken: string;
  /** Verifies that a call comes from Slack. */
  readonly signingSecret: string;
}

function requireBox({ secrets }: Runtime): SecretBox {
  if (!secrets) throw new AppError('secrets_key_missing');
  return secrets;
}

/** Throws 501 `secrets_key_missing`. */
export function sealSlackSecrets(
  runtime: Runtime,
  channelId: string,
  { botToken, signingSecret }: SlackSecrets,
): SealedSecret {
  return requireBox(runtime).seal(
    Buffer.from(JSON.stringify([botToken, signingSecret])),
    SEALED_FOR.slack(channelId),
  );
}

/** Throws 501 `secrets_key_missing`, also when the key that sealed them is not configured. */
export function openSlackSecrets(
  runtime: Runtime,
  { channelId, secrets }: Pick<SlackConnection, 'channelId' | 'secrets'>,
): SlackSecrets {
  const box = requireBox(runtime);
  try {
    const [botToken, signingSecret] = JSON.parse(
      box.open(secrets, SEALED_FOR.slack(channelId)).toString(),
    ) as [string, string];
    return { botToken, signingSecret };
  } catch (cause) {
    throw new AppError('secrets_key_missing', {
      cause,
      internal: { channelId, keyId: secrets.keyId },
    });
  }
}
