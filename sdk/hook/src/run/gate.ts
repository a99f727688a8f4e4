/**
 * `countersign-hook run`: what the runtime starts before and after each call. Before a call, only an approval ends it with 0.
 * Whatever else happens, it ends with 2, the denial on standard output and the reason on standard error, so that the runtime blocks the call
 * whichever of the three it looks at.
 */
import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { NotApproved, Unavailable } from '../../../typescript/src/errors.ts';
import { accessFor } from './access.ts';
import { decide, NotCompared, Stopped } from './decide.ts';
import { watchParent } from './parent.ts';
import { RESERVE, secondsOf } from '../limit.ts';
import { runtimeNamed, type Runtime } from '../runtimes.ts';

const DENIED = 2;
/** The file descriptor. */
const OUTCOME = 3;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const STOPPED = 'The program that asked stopped waiting, so the request was withdrawn.';
const GONE = 'The program that asked is gone, so the request was withdrawn.';

export function gate([name, ...rest]: readonly string[]): void {
  // For any end that is not foreseen here.
  process.exitCode = DENIED;
  const runtime = runtimeNamed(name);
  const verdict = new Verdict(runtime);
  const stop = new AbortController();
  process.on('uncaughtException', verdict.deny);
  process.on('unhandledRejection', verdict.deny);
  process.on('exit', () => {
    verdict.deny(new Error('It ended without a decision.'));
  });
  for (const signal of SIGNALS)
    process.on(signal, () => {
      stop.abort(new Error(STOPPED));
    });
  try {
    if (!runtime) throw new TypeError(`It knows no runtime ${JSON.stringify(name)}.`);
    const { named, limit, scope, outcome } = optionsOf(rest);
    verdict.tells = outcome;
    watchParent(() => {
      stop.abort(new Error(GONE));
    });
    const end = (limit - RESERVE) * 1_000;
    setTimeout(verdict.deny, end - performance.now(), new Error('There was no decision in time.'));
    // The asking ends first, so that it can withdraw and say why.
    const until = end - 500;
    const access = accessFor(named);
    decide({ runtime, access, scope, until, signal: stop.signal }).then(verdict.pass, verdict.deny);
  } catch (error) {
    verdict.deny(error);
  }
}

function optionsOf(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ url: { type: 'string' }, credential: { type: 'string' }, limit: { type: 'string' } },
      scope: { type: 'string', default: 'user' },
      // For `test`: the outcome as a word, on file descriptor 3.
      outcome: { type: 'boolean', default: false },
    },
  });
  const { url, credential, limit, scope, outcome } = values;
  if (!/^[a-z]+$/.test(scope)) throw new TypeError('--scope is a word.');
  return { named: { url, credential }, limit: secondsOf(limit), scope, outcome };
}

/** The first one counts. */
class Verdict {
  tells = false;
  #isGiven = false;

  constructor(private readonly runtime: Runtime | undefined) {}

  readonly pass = (text: string): void => {
    if (this.#isGiven) return;
    if (text !== '' && !written(1, text)) {
      this.deny(new Error('The approval could not be printed.'));
      return;
    }
    this.#isGiven = true;
    process.exit(0);
  };

  readonly deny = (error: unknown): void => {
    if (this.#isGiven) return;
    this.#isGiven = true;
    const reason = reasonOf(error);
    const denial = (this.runtime ?? runtimeNamed('claude'))?.denial(reason);
    written(2, `${reason}\n`);
    written(1, JSON.stringify(denial));
    if (this.tells) written(OUTCOME, outcomeOf(error));
    process.exit(DENIED);
  };
}

/** A runtime that went away reads nothing. The exit status remains. */
function written(to: number, text: string): boolean {
  try {
    writeSync(to, text);
    return true;
  } catch {
    return false;
  }
}

/** What `test` hears of a call that was denied by a decision. */
export const DECIDED: readonly string[] = ['denied', 'expired', 'cancelled', 'stale', 'used'];

function outcomeOf(error: unknown): string {
  if (error instanceof NotApproved) return error.status;
  return error instanceof Unavailable ? error.reason : 'failed';
}

/** The model reads it in the place of the result. It is never empty. */
function reasonOf(error: unknown): string {
  if (error instanceof Stopped || error instanceof NotCompared) return error.message;
  if (error instanceof NotApproved) return error.toModel;
  if (error instanceof Unavailable)
    return error.toModel.includes(error.message)
      ? error.toModel
      : `${error.toModel} (${error.message})`;
  const message = error instanceof Error ? error.message : String(error);
  return `Countersign gave no decision, so this call did not run: ${message}`;
}
