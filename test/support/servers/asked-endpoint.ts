/** A webhook endpoint that rules ask, on loopback. It responds to each request when the test says so. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { HttpClient, Json } from '../http.ts';
import { until } from '../waiting.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from './webhook-receiver.ts';

/** What a service needs to ask it. A create does not wait long for a response that is held back. */
export const ASKING = {
  ...LOOPBACK_ALLOWED,
  COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
  COUNTERSIGN_CREATE_BUDGET: '1s',
} as const;

export interface AskedEndpoint {
  /** Payloads about a request, oldest first. */
  readonly callsOf: (requestId: string) => readonly Json[];
  /** Waits for that many calls about a request. */
  readonly called: (requestId: string, times: number) => Promise<void>;
  /** Responses all calls about a request that wait. */
  readonly reply: (requestId: string, body: object, status?: number) => void;
  readonly close: () => Promise<void>;
}

/** Creates and activates the endpoint `rules` for an owner. */
export async function startAskedEndpoint(owner: HttpClient): Promise<AskedEndpoint> {
  const calls = new Map<string, Json[]>();
  const waiting = new Map<string, ServerResponse[]>();
  const receiver = await startWebhookReceiver();
  receiver.respondWith((response) => {
    const payload = JSON.parse(receiver.received.at(-1)?.body ?? '{}') as Json;
    const id = String((payload as { request?: { id?: string } }).request?.id);
    calls.set(id, [...(calls.get(id) ?? []), payload]);
    waiting.set(id, [...(waiting.get(id) ?? []), response]);
  });
  const path = '/api/v1/webhook_endpoints/rules';
  await owner.post(`${path}/revisions`, { name: 'Rules', url: receiver.url });
  const active = { headers: { 'if-match': '"0"' } };
  const activated = await owner.post(`${path}/revisions/1/activate`, undefined, active);
  if (activated.status !== 200) throw new Error(`not activated: ${activated.text}`);
  const callsOf = (id: string) => calls.get(id) ?? [];
  return {
    callsOf,
    called: async (id, times) => {
      await until(`${times} calls about ${id}`, () => callsOf(id).length >= times);
    },
    reply: (id, body, status = 200) => {
      for (const response of waiting.get(id) ?? []) {
        if (!response.writableEnded) response.writeHead(status).end(JSON.stringify(body));
      }
    },
    close: () => receiver.close(),
  };
}

/** A block that asks it. By default each attempt waits for as long as it may. */
export const asking = (id: string, operation: object = {}, config: object = {}) => ({
  id,
  name: `Ask ${id}`,
  ...{ type: 'webhook', timeout: '30s' },
  ...operation,
  config: { endpoint_key: 'rules', ...config },
});
