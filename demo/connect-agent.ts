/** An adapter that survives restarts, as docs/guides/connecting-agents.md shows it. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

export interface Replica {
  readonly url: string;
  /** The `whp_` token of the fleet. */
  readonly provisioner: string;
  /** The same after each restart, and no other replica's. */
  readonly name: string;
  /** Where its credential is kept. */
  readonly file: string;
}

export interface ToolCall {
  /** Stored with the call before it is asked about, so that a restart finds it. */
  readonly key: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly timeout: string;
}

export interface Approval {
  readonly id: string;
  readonly status: 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled';
  readonly decision?: { readonly note?: string; readonly expires_at?: string };
}

/** Repeats a call until the service has answered it for good. */
async function call(url: string, init: RequestInit): Promise<unknown> {
  for (let pause = 500; ; pause = Math.min(2 * pause, 10_000)) {
    const answer = await attempt(url, init);
    if (answer?.ok) return JSON.parse(answer.text) as unknown;
    init.signal?.throwIfAborted();
    if (answer && answer.status !== 429 && answer.status < 500)
      throw new Error(`${url} answers ${answer.status}: ${answer.text}`);
    await delay(Math.max(pause, answer?.retryAfterMs ?? 0));
  }
}

/** Undefined when no whole answer came. */
async function attempt(url: string, init: RequestInit) {
  try {
    const answer = await fetch(url, init);
    const retryAfterMs = Number(answer.headers.get('retry-after') ?? 0) * 1_000;
    return { ok: answer.ok, status: answer.status, text: await answer.text(), retryAfterMs };
  } catch {
    return undefined;
  }
}

/** The stored credential. Without one, the replica gets an instance with a credential. */
export async function credentialOf({ url, provisioner, name, file }: Replica): Promise<string> {
  const stored = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (stored !== '') return stored;
  const made = (await call(`${url}/api/aap/v1/instances`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${provisioner}`,
      'content-type': 'application/json',
      'idempotency-key': name, // a restart before the next lines gets the same token
    },
    body: JSON.stringify({ instance_metadata: { replica: name } }),
  })) as { readonly credential: { readonly token: string } };
  const { token } = made.credential;
  await writeFile(`${file}.new`, token, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return token;
}

/** Asks, then waits for the answer. Called again with the same key, it goes on with the same request. */
export async function approvalOf(
  { url, token, signal }: { url: string; token: string; signal?: AbortSignal },
  { key, ...toolCall }: ToolCall,
): Promise<Approval> {
  const authorization = `Bearer ${token}`;
  const stopping = signal ? { signal } : {};
  let request = (await call(`${url}/api/aap/v1/requests`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(toolCall),
    ...stopping,
  })) as Approval;
  while (request.status === 'pending')
    request = (await call(`${url}/api/aap/v1/requests/${request.id}?wait=30s`, {
      headers: { authorization },
      ...stopping,
    })) as Approval;
  return request;
}

/** An approval counts for five minutes. After that, ask again under a new key. */
export function mayStart({ status, decision }: Approval): boolean {
  return status === 'approved' && Date.now() < Date.parse(decision?.expires_at ?? '');
}
