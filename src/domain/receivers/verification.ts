/** The challenge that a receiver has to repeat before it is told anything. */
import { parseExact, stringifyExact } from '../../platform/json/exact-json.ts';

export interface Verification {
  readonly id: string;
  readonly registrationId: string;
  readonly instanceId: string;
  readonly createdAt: Date;
  readonly challenge: string;
}

/** Exactly what is posted. */
export function verificationBody(verification: Verification): string {
  const { id, registrationId, instanceId, createdAt, challenge } = verification;
  return stringifyExact({
    id,
    type: 'webhook.verification',
    registration_id: registrationId,
    instance_id: instanceId,
    created_at: createdAt,
    challenge,
  });
}

/** Status 200 and a JSON object that has the challenge, once, and nothing else. */
export function repeatsChallenge(
  response: { readonly status: number; readonly body: Buffer | undefined },
  challenge: string,
): boolean {
  if (response.status !== 200 || !response.body) return false;
  try {
    // A byte order mark stays, and is no JSON.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(response.body);
    const said = parseExact(text);
    return (
      typeof said === 'object' &&
      said !== null &&
      Object.keys(said).length === 1 &&
      (said as Readonly<Record<string, unknown>>)['challenge'] === challenge
    );
  } catch {
    return false;
  }
}
