/**
 * Wakes waiting calls when a row changes: in this process at once, in other processes through a
 * batched NOTIFY. The hub only says "look again"; listeners read the row or take the snapshot.
 */

export type ChangeListener<T> = (snapshot: T | undefined) => void;

/** A row as its listener last saw it. */
export interface Seen {
  readonly id: string;
  readonly at: Date;
}

export class ChangeHub<T> {
  private readonly listeners = new Map<string, Set<ChangeListener<T>>>();
  private readonly outgoing = new Set<string>();
  private onOutgoing: (() => void) | undefined;
  /** What listeners of non-final changes have seen. */
  private readonly seen = new Map<ChangeListener<T>, Seen>();
  private readonly observers = new Set<ChangeListener<T>>();
  private onDelivered: (() => void) | undefined;

  /**
   * Calls `listener` at every change of `id` until the returned function is called. With `seenAt`, it
   * also waits for changes that are not final.
   */
  subscribe(id: string, listener: ChangeListener<T>, seenAt?: Date): () => void {
    const set = this.listeners.get(id) ?? new Set();
    this.listeners.set(id, set.add(listener));
    if (seenAt) this.seen.set(listener, { id, at: seenAt });
    return () => {
      set.delete(listener);
      this.seen.delete(listener);
      if (set.size === 0 && this.listeners.get(id) === set) this.listeners.delete(id);
    };
  }

  /** Calls `observer` after every change by this process, until the returned function is called. */
  observe(observer: ChangeListener<T>): () => void {
    this.observers.add(observer);
    return () => {
      this.observers.delete(observer);
    };
  }

  /**
   * Call it after a commit. `snapshot` saves local listeners the read. With `unlessDelivered`, no
   * NOTIFY follows when a local listener was waiting. Waits elsewhere find the change at their next
   * reread.
   */
  publish(
    id: string,
    snapshot?: T,
    { unlessDelivered = false }: { readonly unlessDelivered?: boolean } = {},
  ): void {
    for (const observer of this.observers) observer(snapshot);
    const delivered = this.deliver(id, snapshot);
    if (unlessDelivered && delivered) return;
    this.outgoing.add(id);
    this.onOutgoing?.();
  }

  /** Passes a change to local listeners; true when there were any. */
  deliver(id: string, snapshot?: T): boolean {
    this.onDelivered?.();
    const waiting = [...(this.listeners.get(id) ?? [])];
    for (const listener of waiting) listener(snapshot);
    return waiting.length > 0;
  }

  /** Ids that calls in this process wait for. */
  waitedFor(): string[] {
    return [...this.listeners.keys()];
  }

  /** The same, for calls that wait for any change. */
  waitedForAnyChange(): Seen[] {
    return [...this.seen.values()];
  }

  /** Sets what is called at every change that this process hears of, its own and others'. */
  hearWith(onDelivered: () => void): void {
    this.onDelivered = onDelivered;
  }

  /** Sets what is called whenever there is something to send to other processes. */
  sendOutgoingWith(onOutgoing: () => void): void {
    this.onOutgoing = onOutgoing;
  }

  /** Changes not yet sent to other processes. A caller that takes them must send them. */
  takeOutgoing(): string[] {
    const ids = [...this.outgoing];
    this.outgoing.clear();
    return ids;
  }
}
