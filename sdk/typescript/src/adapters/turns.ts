/**
 * Tells equal calls with one id apart, since some models give each call of a conversation the id `call_0`. A call is new once the
 * previous equal call has ended. Until then it is the same one.
 */
import { textOf } from '../arguments.ts';
import type { ToolCall } from '../calls.ts';
import type { Countersign } from '../countersign.ts';
import { digestOf, sha256 } from '../digests.ts';
import { NotApproved, Unavailable } from '../errors.ts';

/** How many ended calls to remember. A forgotten one is treated as after a restart. */
const KEPT = 10_000;

const known = new WeakMap<Countersign, Turns>();

export function turnsOf(countersign: Countersign): Turns {
  const turns = known.get(countersign) ?? new Turns();
  known.set(countersign, turns);
  return turns;
}

/** By the names of calls. */
export type Ordinals = Map<string, number>;

/** One call, from the question to its end. */
export interface Turn {
  /** With its ordinal. */
  readonly call: ToolCall & { readonly ordinal: number };
  /** The call ran, or will not run. While the service is away it has not ended: the next one continues its request. */
  readonly end: (error?: unknown) => void;
}

export class Turns {
  /** The ordinal of the last one that ended, by the name of the call. */
  readonly #ended = new Map<string, number>();

  /**
   * `before` is an ordinal that an earlier equal call may have. `run` keeps the ordinals of a run that another process
   * may continue. Throws a TypeError for arguments that are no JSON.
   */
  next(call: ToolCall, { before = 0, run }: { before?: number; run?: Ordinals } = {}): Turn {
    const name = nameOf(call);
    const ordinal = run?.get(name) ?? Math.max(before, this.#ended.get(name) ?? 0) + 1;
    run?.set(name, ordinal);
    return {
      call: { ...call, ordinal },
      end: (error) => {
        if (error instanceof Unavailable) return;
        // A process does not know how many equal calls ran before it started. The clock gives the next one an ordinal that none of them has.
        this.#keep(name, isUsed(error) ? Math.max(ordinal, Date.now()) : ordinal);
      },
    };
  }

  /**
   * A call whose place in the conversation the framework knows. It is repeated with the same ordinal, until it turns out that the
   * framework knows too few of the calls that ran.
   */
  at(call: ToolCall, ordinal: number): Turn {
    const name = nameOf(call);
    return {
      call: { ...call, ordinal },
      end: (error) => {
        if (error instanceof Unavailable) return;
        if (isUsed(error) || this.#ended.has(name)) this.#keep(name, ordinal);
      },
    };
  }

  #keep(name: string, ordinal: number): void {
    const ended = this.#ended.get(name) ?? 0;
    this.#ended.delete(name);
    this.#ended.set(name, Math.max(ended, ordinal));
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > KEPT && oldest !== undefined) this.#ended.delete(oldest);
  }
}

/** The turn ends with what is asked. */
export async function during<T>(
  { call, end }: Turn,
  ask: (call: ToolCall) => Promise<T>,
): Promise<T> {
  try {
    const result = await ask(call);
    end();
    return result;
  } catch (error) {
    end(error);
    throw error;
  }
}

const isUsed = (error: unknown): boolean => error instanceof NotApproved && error.status === 'used';

const nameOf = ({ session, callId, tool, server, arguments: args }: ToolCall): string =>
  sha256(JSON.stringify([session, callId, tool, server, digestOf(textOf(args))]));
