/** Asks a receiver, before anything is committed, whether it expects this instance. */
import { randomUUID } from 'node:crypto';
import { v4 } from 'uuid';
import { removeReceiver, setReceiver as storeReceiver } from '../../data/receivers/receivers.ts';
import { AppError } from '../../domain/errors.ts';
import type { ProvisionerPrincipal } from '../../domain/people/authorization.ts';
import { destinationsOf, hostOf, type DeliveryInput } from '../../domain/receivers/receivers.ts';
import { ATTEMPT_MS } from '../../domain/receivers/retries.ts';
import { repeatsChallenge, verificationBody } from '../../domain/receivers/verification.ts';
import { SEALED_FOR } from '../../domain/sealed-secrets.ts';
import { standardHeaders } from '../../platform/crypto/webhook-signature.ts';
import { EgressDenied } from '../../platform/network/egress.ts';
import type { Trx } from '../../platform/postgres.ts';
import { countDestinations, countVerification } from '../access/sign-in-attempts.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { postSigned } from '../webhooks/signed-post.ts';

export interface ProposedReceiver {
  readonly delivery: DeliveryInput;
  /** Of the instance, which may not exist yet. */
  readonly instanceId: string;
}

/**
 * Posts one signed challenge and waits for it at most ten seconds, outside every transaction. Throws 400 `invalid_webhook_url`,
 * 422 `webhook_verification_failed`, 429 `rate_limited`, and 501 `secrets_key_missing`.
 */
export async function verifyReceiver(
  context: ServiceContext,
  principal: ProvisionerPrincipal,
  { delivery, instanceId }: ProposedReceiver,
): Promise<void> {
  if (!context.secrets) throw new AppError('secrets_key_missing');
  await countVerification(context, principal.provisionerId);
  const addresses = await addressesOf(context, delivery.url);
  await countDestinations(context, destinationsOf(delivery.url, addresses));
  const verification = {
    id: v4(),
    registrationId: delivery.registration_id,
    instanceId,
    createdAt: new Date(),
    challenge: randomUUID(),
  };
  const posted = await postSigned(context, {
    ...{ url: delivery.url, addresses },
    secrets: [delivery.signing_secret],
    id: verification.id,
    body: verificationBody(verification),
    timeoutMs: ATTEMPT_MS,
    signal: context.stopping,
    headers: { 'accept-encoding': 'identity' },
    sign: standardHeaders,
  });
  if (posted.kind === 'refused') throw failed(posted.error);
  if (!repeatsChallenge(posted, verification.challenge)) throw failed(`status ${posted.status}`);
}

async function addressesOf({ egress }: Runtime, url: string): Promise<readonly string[]> {
  try {
    return await egress.addressesOf(url);
  } catch (error) {
    if (!(error instanceof EgressDenied)) throw failed('connection failed: dns');
    if (error.problem === 'unresolved') throw failed(`the URL ${error.message}`);
    throw new AppError('invalid_webhook_url', { detail: `The URL ${error.message}.` });
  }
}

/** What the receiver said stays in the log: the response says only that it did not repeat the challenge. */
const failed = (reason: string): AppError =>
  new AppError('webhook_verification_failed', { internal: { reason } });

/** Gives a locked instance the receiver that was verified for it, or with null takes it away. */
export async function setReceiver(
  trx: Trx,
  { secrets }: Runtime,
  {
    instanceId,
    delivery,
  }: { readonly instanceId: string; readonly delivery: DeliveryInput | null },
): Promise<void> {
  if (!delivery) {
    await removeReceiver(trx, instanceId);
    return;
  }
  if (!secrets) throw new AppError('secrets_key_missing');
  const { url, registration_id: registrationId, signing_secret: secret } = delivery;
  await storeReceiver(trx, instanceId, {
    url,
    host: hostOf(url),
    registrationId,
    secret: secrets.seal(Buffer.from(secret), SEALED_FOR.receiver(instanceId)),
  });
}
