/** Tells the service what became of an approved call. */
import type { Credentials } from '../../../typescript/src/credentials.ts';
import { callService, Refusal, type Limits } from '../../../typescript/src/http.ts';

export type Outcome = 'succeeded' | 'failed' | 'not_run' | 'refused_by_runtime' | 'ran_differently';

export interface Result {
  readonly outcome: Outcome;
  /** SHA-256 of the arguments that ran, as canonical JSON, in hex. */
  readonly arguments_digest?: string;
}

/** True when the service has it, had one before, or is too old to take any. */
export async function report(
  credentials: Credentials,
  { id, result, limits }: { readonly id: string; readonly result: Result; readonly limits: Limits },
): Promise<boolean> {
  const body = JSON.stringify(result);
  try {
    const token = await credentials.token(0, limits);
    const path = `/requests/${id}/result`;
    await callService(
      credentials.url,
      { method: 'POST', path, token, body, expects: [200, 204] },
      limits,
    );
    return true;
  } catch (error) {
    return error instanceof Refusal && [404, 405, 409].includes(error.status);
  }
}
