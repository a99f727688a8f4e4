/**
 * Wakes those who wait for a row to change: in this process at once, in other processes by a batched NOTIFY. The hub
 * says only "look again"; who listens reads the row (or takes the snapshot that came along) and decides for himself.
 */

export type ChangeListener<T> = (snapshot: T | undefined) => void;

export class ChangeHub<T> {
  private readonly listeners = new Map<string, Set<ChangeListener<T>>>();
  private readonly outgoing = new Set<string>();
  private onOutgoing: (() => void) | undefined;

  /** Calls `listener` at every change of `id` until the returned function is called. */
  subscribe(id: string, listener: ChangeListener<T>): () => void {
    const set = this.listeners.get(id) ?? new Set();
    this.listeners.set(id, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.listeners.get(id) === set) this.listeners.delete(id);
    };
  }

  /** After a commit of this process. `snapshot` spares listeners here the read. */
  publish(id: string, snapshot?: T): void {
    this.deliver(id, snapshot);
    this.outgoing.add(id);
    this.onOutgoing?.();
  }

  /** A change another process announced. */
  deliver(id: string, snapshot?: T): void {
    for (const listener of [...(this.listeners.get(id) ?? [])]) listener(snapshot);
  }

  /** Ids somebody in this process waits for. */
  waitedFor(): string[] {
    return [...this.listeners.keys()];
  }

  /** Names the announcer; it is told whenever there is something to take. */
  announceWith(onOutgoing: () => void): void {
    this.onOutgoing = onOutgoing;
  }

  /** Changes not yet announced to other processes; taking them makes them the caller's to send. */
  takeOutgoing(): string[] {
    const ids = [...this.outgoing];
    this.outgoing.clear();
    return ids;
  }
}
