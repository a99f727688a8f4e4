/** Reads the event on standard input. Before a call, it asks the service and resolves only if the call may run. After a call, it compares what ran. */
import { join } from 'node:path';
import { JsonText } from '../../../typescript/src/arguments.ts';
import { Countersign } from '../../../typescript/src/countersign.ts';
import { credentialsFor } from '../../../typescript/src/credentials.ts';
import { membersOf, type Members } from '../../../typescript/src/exact.ts';
import { callService, Refusal } from '../../../typescript/src/http.ts';
import { fileLedger } from '../../../typescript/src/state/ledger.ts';
import { readRequest } from '../../../typescript/src/request.ts';
import { Requests } from '../../../typescript/src/requests.ts';
import type { Runtime } from '../runtimes.ts';
import type { Access } from './access.ts';
import { compareAfter, reasonOf, reportStop } from './after.ts';
import { textAt, type HookCall, type Pair } from './events.ts';
import { keep, stopOf } from './kept.ts';
import { leave, sharedFolder, take } from './pairs.ts';
import { report } from './results.ts';
import { endTurn, ordinalOf, startKeyOf, type Turn } from './turns.ts';

const LONGEST_INPUT = 16 * 1024 * 1024;
/** Of the limit in seconds: to start, to say that no one decided, and to withdraw. */
const BESIDE_REVIEWERS = 15;

/** Denied without a question: another call than the approved one ran before, or it is a trial of the hook. */
export class Stopped extends Error {}

/** After a call: what ran is not known to be what was approved. */
export class NotCompared extends Error {
  constructor(error: unknown) {
    const why = error instanceof Error ? error.message : String(error);
    super(`Countersign could not compare this call with the approved one after it ran: ${why}`);
  }
}

/** A call with such an id is a test whether the hook is asked at all. It never runs. */
export const TRIAL_ID = 'toolu_countersign_hook_test_';

export interface Question {
  readonly runtime: Runtime;
  readonly access: Access;
  /** Of the settings that this hook stands in. */
  readonly scope: string;
  /** As `performance.now()`. */
  readonly until: number;
  readonly signal: AbortSignal;
}

export async function decide(question: Question): Promise<string> {
  const { runtime, signal } = question;
  const event = membersOf(await input(signal));
  if (runtime.after.includes(textAt(event, 'hook_event_name')))
    return await compared(event, question).catch((error: unknown) => {
      throw new NotCompared(error);
    });
  const call = runtime.read(event);
  if (call.callId?.startsWith(TRIAL_ID)) throw new Stopped(`The hook was asked. ${TRIAL_ID}`);
  await requireGoing(call, question);
  if (call.pair?.isSecond && (await wasApproved(call.pair, question))) return runtime.pass(call);
  const turn = turnOf(call);
  try {
    return await asked(call, turn, question);
  } catch (error) {
    if (turn) await endTurn(turn).catch(() => undefined);
    throw error;
  }
}

async function asked(call: HookCall, turn: Turn | undefined, question: Question): Promise<string> {
  const { runtime, access, scope, until, signal } = question;
  const { pair } = call;
  const seconds = Math.floor((until - performance.now()) / 1_000);
  if (seconds < 1) throw new Error('There was no time left to ask.');
  const options = {
    ...access,
    limit: `${String(seconds)}s`,
    // It does not depend on how soon the hook gets here: a repeated call continues its request.
    timeout: `${String(Math.max(1, Math.floor(until / 1_000) - BESIDE_REVIEWERS))}s`,
    ledger: fileLedger(join(sharedFolder(), 'calls')),
  };
  const requests = new Requests(credentialsFor(access), async (id) => await startKeyOf(id, scope));
  const { id } = await new Countersign(options, requests).ask(
    {
      ...{ ...call, arguments: new JsonText(call.arguments) },
      ...(turn && { ordinal: await ordinalOf(turn) }),
    },
    { signal },
  );
  // Without it, the second event asks again.
  if (pair && !pair.isSecond) await leave(pair.name, scope, id).catch(() => undefined);
  await keepStarted({ id, call, question });
  return runtime.pass(call);
}

/** Undefined where the runtime gives the call no id. */
function turnOf({ session, callId, tool, given, arguments: text }: HookCall): Turn | undefined {
  return callId === undefined ? undefined : { session, callId, tool, input: text, ...given };
}

async function compared(event: Members, question: Question): Promise<string> {
  const { runtime, access, scope, signal } = question;
  const credentials = credentialsFor(access);
  const after = { runtime: runtime.name, scope, credentials, signal };
  const stopReason = await compareAfter(event, after);
  return stopReason === undefined ? '' : JSON.stringify({ continue: false, stopReason });
}

async function requireGoing({ session }: HookCall, { access, signal }: Question): Promise<void> {
  const stop = await stopOf(session);
  if (!stop) return;
  await reportStop(stop, { credentials: credentialsFor(access), signal });
  throw new Stopped(`This call did not run. ${reasonOf(stop)}`);
}

/** A call that cannot be compared afterwards, or that nothing waits for any more, does not run. */
async function keepStarted({
  id,
  call: { session, callId, given },
  question: { access, scope, signal },
}: {
  readonly id: string;
  readonly call: HookCall;
  readonly question: Question;
}): Promise<void> {
  try {
    if (given && callId !== undefined) await keep({ session, callId, scope }, { id, ...given });
    signal.throwIfAborted();
  } catch (error) {
    const limits = { until: performance.now() + 3_000 };
    await report(credentialsFor(access), { id, result: { outcome: 'not_run' }, limits });
    throw error;
  }
}

/** Anyone on the machine could write to the folder, so the service is asked for the approval. */
async function wasApproved(
  pair: Pair,
  { access, scope, until, signal }: Question,
): Promise<boolean> {
  const id = await take(pair.name, scope);
  if (id === undefined) return false;
  const credentials = credentialsFor(access);
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
