/** The credentials for which calls are held open in this process, so that such a call ends when its credential does. */
import { credentialIdOf, type Principal } from '../../domain/people/authorization.ts';

export class HeldCredentials {
  private readonly listeners = new Map<string, Set<() => void>>();

  /**
   * Runs `ended` once the caller's credential has ended. Returns how to stop listening. A call from
   * Slack presents no credential that could end.
   */
  watch(caller: Principal, ended: () => void): () => void {
    if (caller.kind === 'member' && caller.via.kind === 'slack') return () => undefined;
    const id = credentialIdOf(caller);
    const those = this.listeners.get(id) ?? new Set();
    this.listeners.set(id, those.add(ended));
    return () => {
      those.delete(ended);
      if (those.size === 0 && this.listeners.get(id) === those) this.listeners.delete(id);
    };
  }

  ids(): readonly string[] {
    return [...this.listeners.keys()];
  }

  end(id: string): void {
    for (const ended of this.listeners.get(id) ?? []) ended();
  }
}
