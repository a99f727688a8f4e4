/** Asks the service about the call on standard input. Resolves only if the call may run. */
import { join } from 'node:path';
import { JsonText } from '../../typescript/src/arguments.ts';
import { Countersign } from '../../typescript/src/countersign.ts';
import { credentialsFor } from '../../typescript/src/credentials.ts';
import { membersOf } from '../../typescript/src/exact.ts';
import { callService, Refusal } from '../../typescript/src/http.ts';
import { fileLedger } from '../../typescript/src/ledger.ts';
import { readRequest } from '../../typescript/src/request.ts';
import type { Pair } from './events.ts';
import { leave, stateFolder, take } from './pairs.ts';
import type { Runtime } from './runtimes.ts';

const LONGEST_INPUT = 16 * 1024 * 1024;
/** Of the limit in seconds: to start, to say that no one decided, and to withdraw. */
const BESIDE_REVIEWERS = 15;

export interface Question {
  readonly runtime: Runtime;
  readonly url: string | undefined;
  /** As `performance.now()`. */
  readonly until: number;
  readonly signal: AbortSignal;
}

export async function decide({ runtime, url, until, signal }: Question): Promise<void> {
  const call = runtime.read(membersOf(await input(signal)));
  const { pair } = call;
  if (pair?.isSecond && (await wasApproved(pair, { url, until, signal }))) return;
  const seconds = Math.floor((until - performance.now()) / 1_000);
  if (seconds < 1) throw new Error('There was no time left to ask.');
  const countersign = new Countersign({
    ...(url !== undefined && { url }),
    limit: `${String(seconds)}s`,
    // It does not depend on how soon the hook gets here: a repeated call goes on with its request.
    timeout: `${String(Math.max(1, Math.floor(until / 1_000) - BESIDE_REVIEWERS))}s`,
    ledger: fileLedger(join(stateFolder(), 'calls')),
  });
  const { id } = await countersign.ask(
    { ...call, arguments: new JsonText(call.arguments) },
    { signal },
  );
  // Without it, the second event asks again.
  if (pair && !pair.isSecond) await leave(pair.name, id).catch(() => undefined);
  signal.throwIfAborted();
}

/** Anyone on the machine could write to the folder, so the service is asked for the approval. */
async function wasApproved(
  pair: Pair,
  { url, until, signal }: Pick<Question, 'url' | 'until' | 'signal'>,
): Promise<boolean> {
  const id = await take(pair.name);
  if (id === undefined) return false;
  const credentials = credentialsFor({ url });
  const limits = { until, signal };
  const token = await credentials.token(0, limits);
  try {
    const path = `/requests/${id}`;
    const request = readRequest(
      await callService(credentials.url, { method: 'GET', path, token }, limits),
    );
    const { status, expiresAt } = request;
    const isUsable = expiresAt !== undefined && expiresAt.getTime() > Date.now();
    return request.id === id && status === 'approved' && isUsable && pair.fits(request);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return false;
    throw error;
  }
}

async function input(signal: AbortSignal): Promise<string> {
  const { stdin } = process;
  const stop = () => {
    stdin.destroy(signal.reason as Error);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > LONGEST_INPUT) throw new Error('The event is too long.');
      chunks.push(chunk);
    }
    signal.throwIfAborted();
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
