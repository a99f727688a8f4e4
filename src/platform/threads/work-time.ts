/**
 * How much time in threads callers have used. What was used drains evenly, so that a caller who used
 * up their budget waits until some of it is theirs again.
 */
import { LRUCache } from 'lru-cache';

/** Milliseconds of thread time that one caller, and one organization, may use in a minute. */
export const CALLER_BUDGET_MS = 20_000;
export const ORGANIZATION_BUDGET_MS = 60_000;

const MINUTE_MS = 60_000;
const REMEMBERED = 10_000;

interface Used {
  readonly ms: number;
  readonly at: number;
}

export class WorkTime {
  readonly #used = new LRUCache<string, Used>({ max: REMEMBERED });
  /** By caller. */
  readonly #organizations = new LRUCache<string, string>({ max: REMEMBERED });
  readonly #now: () => number;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Whole seconds until the caller may use threads again. Undefined: now. */
  secondsToWait(caller: string, organization: string): number | undefined {
    this.#organizations.set(caller, organization);
    const ms = Math.max(
      this.#msToWait(caller, CALLER_BUDGET_MS),
      this.#msToWait(organization, ORGANIZATION_BUDGET_MS),
    );
    return ms > 0 ? Math.ceil(ms / 1_000) : undefined;
  }

  spend(caller: string, ms: number): void {
    this.#add(caller, CALLER_BUDGET_MS, ms);
    const organization = this.#organizations.get(caller);
    if (organization !== undefined) this.#add(organization, ORGANIZATION_BUDGET_MS, ms);
  }

  #msToWait(who: string, budget: number): number {
    return ((this.#left(who, budget) - budget) * MINUTE_MS) / budget;
  }

  #add(who: string, budget: number, ms: number): void {
    this.#used.set(who, { ms: this.#left(who, budget) + ms, at: this.#now() });
  }

  /** What has not drained yet. */
  #left(who: string, budget: number): number {
    const used = this.#used.get(who);
    if (!used) return 0;
    return Math.max(0, used.ms - ((this.#now() - used.at) * budget) / MINUTE_MS);
  }
}
