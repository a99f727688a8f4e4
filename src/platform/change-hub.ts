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

  /**
   * After a commit of this process. `snapshot` spares listeners here the read. `unlessHeard`: other processes need not be
   * told when somebody here was waiting; one of them that waits nevertheless finds out by its next reread.
   */
  publish(
    id: string,
    snapshot?: T,
    { unlessHeard = false }: { readonly unlessHeard?: boolean } = {},
  ): void {
    const heard = this.deliver(id, snapshot);
    if (unlessHeard && heard) return;
    this.outgoing.add(id);
    this.onOutgoing?.();
  }

  /** A change to pass on to whoever waits here; true when somebody did. */
  deliver(id: string, snapshot?: T): boolean {
    const waiting = [...(this.listeners.get(id) ?? [])];
    for (const listener of waiting) listener(snapshot);
    return waiting.length > 0;
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
