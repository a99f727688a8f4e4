/** The credentials for which calls are held open in this process, so that such a call ends when its credential does. */
import type { Principal } from '../../domain/people/authorization.ts';

export class HeldCredentials {
  private readonly listeners = new Map<string, Set<() => void>>();

  /** Runs `ended` once the caller's credential has ended. Returns how to stop listening. */
  hold(caller: Principal, ended: () => void): () => void {
    const id = credentialIdOf(caller);
    if (id === undefined) return () => undefined;
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

/** Undefined for a call from Slack, which presents no credential of ours. */
function credentialIdOf(caller: Principal): string | undefined {
  if (caller.kind === 'agent') return caller.credentialId;
  if (caller.kind === 'organization_key') return caller.keyId;
  switch (caller.via.kind) {
    case 'session':
      return caller.via.sessionId;
    case 'api_key':
      return caller.via.keyId;
    case 'slack':
      return undefined;
  }
}
