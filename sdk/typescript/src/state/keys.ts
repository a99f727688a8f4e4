/** The keys of calls without an id. They are in the ledger before anyone is asked. */
import { randomUUID } from 'node:crypto';
import { Unavailable } from '../errors.ts';
import type { Limits } from '../http.ts';
import type { Ledger } from './ledger.ts';
import { bounded } from '../limits.ts';

const WHAT = 'The ledger';

export class Keys {
  readonly #ledger: Ledger;
  readonly #open = new Set<string>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The key of a crashed run of this call, or a new one. `entry` is its name in the ledger. */
  async take(
    call: string,
    limits: Limits,
  ): Promise<{ readonly entry: string; readonly key: string }> {
    const entry = this.#nameOf(call);
    try {
      const key = (await this.load(entry, limits)) ?? randomUUID();
      await this.save(entry, key, limits);
      return { entry, key };
    } catch (error) {
      this.#open.delete(entry);
      limits.signal?.throwIfAborted();
      throw new Unavailable(
        'configuration',
        `The ledger cannot keep the key of the call: ${error instanceof Error ? error.message : 'it failed'}`,
      );
    }
  }

  async load(entry: string, limits: Limits): Promise<string | undefined> {
    return await bounded(this.#ledger.load(entry), limits, WHAT);
  }

  async save(entry: string, value: string, limits: Limits): Promise<void> {
    await bounded(this.#ledger.save(entry, value), limits, WHAT);
  }

  /** Never throws, because the call may have run. A key that stays makes the next equal call `used`. */
  async forget(entry: string, limits: Limits): Promise<void> {
    try {
      await bounded(this.#ledger.remove(entry), limits, WHAT);
    } catch {
      // It stays.
    } finally {
      this.#open.delete(entry);
    }
  }

  /** Equal calls at the same time are separate calls. */
  #nameOf(call: string): string {
    let name = call;
    for (let place = 2; this.#open.has(name); place += 1) name = `${call} ${String(place)}`;
    this.#open.add(name);
    return name;
  }
}
