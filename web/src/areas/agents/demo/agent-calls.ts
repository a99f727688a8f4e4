/** Calls as the demo agent, as any agent makes them: with its credential, and without the session of the person. */
import { parseExact, type JsonText } from '../../../../../src/platform/json/exact-json.ts';

const REQUESTS = '/api/aap/v1/requests';

export type Outcome = 'approved' | 'denied' | 'expired' | 'cancelled';

/** A request as its agent reads it. */
export interface AgentRequest {
  readonly id: string;
  readonly status: 'pending' | Outcome;
  /** As they were sent. */
  readonly arguments: JsonText;
  readonly deadline_at: string;
  readonly decision?: { readonly note?: string };
}

export interface AgentCall {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Refund {
  readonly payment: string;
  /** As it is sent. */
  readonly amount: string;
}

/** `key`: a repeat with the same one makes no further request. */
export const askCall = ({ payment, amount }: Refund, key: string): AgentCall => ({
  method: 'POST',
  path: REQUESTS,
  headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
  body:
    `{"tool":"refund_payment","arguments":{"payment_id":"${payment}","amount":${amount},"currency":"EUR"},"timeout":"1h",` +
    '"agent_reasoning":"This is a demo, and no money moves. The customer sent back a lamp that arrived broken, and asks for the money."}',
});

export const readCall = (id: string): AgentCall => ({ method: 'GET', path: `${REQUESTS}/${id}` });

export const waitCall = (id: string): AgentCall => ({
  method: 'GET',
  path: `${REQUESTS}/${id}?wait=20s`,
});

export const listCall: AgentCall = { method: 'GET', path: `${REQUESTS}?status=pending` };

export const withdrawCall = (id: string): AgentCall => ({
  method: 'DELETE',
  path: `${REQUESTS}/${id}`,
});

export interface Reply {
  /** 0 where no response came. */
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterSeconds: number | undefined;
}

/** Throws when it is aborted, and for nothing else. */
export async function callAsAgent(
  { method, path, headers = {}, body }: AgentCall,
  { token, signal }: { readonly token: string; readonly signal: AbortSignal },
): Promise<Reply> {
  try {
    const response = await fetch(path, {
      method,
      headers: { ...headers, Authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal,
    });
    const text = await response.text();
    const wanted = Number(response.headers.get('Retry-After') ?? Number.NaN);
    return {
      status: response.status,
      body: response.headers.get('Content-Type')?.includes('json')
        ? parseExact(text, { keep: ['arguments'] })
        : undefined,
      retryAfterSeconds: Number.isNaN(wanted) ? undefined : wanted,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof TypeError)) throw error;
    return { status: 0, body: undefined, retryAfterSeconds: undefined };
  }
}
