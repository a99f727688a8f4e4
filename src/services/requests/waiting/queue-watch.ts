/**
 * Calls of this process that wait for changes in a queue, by organization. One look finds out for
 * all of them whether something changed. Each then reads what it shows of it.
 */
import {
  lookAtOrganizations,
  type SeenOrganization,
} from '../../../data/requests/queue/changes.ts';
import type { Db } from '../../../platform/postgres.ts';

/** `access`: someone's access has changed, perhaps the caller's. */
export type QueueNews = 'requests' | 'access';

type QueueListener = (news: QueueNews) => void;

interface Watched {
  readonly id: string;
  /** Each with the version of access that it knows. */
  readonly listeners: Map<QueueListener, number | undefined>;
  /** What the last look has seen. */
  snapshot: string | undefined;
}

export class QueueWatch {
  /** Only what is waited for. */
  private readonly organizations = new Map<string, Watched>();

  /**
   * Calls `listener` after changes until the returned function is called. It may be called without
   * one, such as at the first look at an organization.
   */
  watch(
    { organizationId, accessVersion }: { organizationId: string; accessVersion?: number },
    listener: QueueListener,
  ): () => void {
    const watched = this.organizations.get(organizationId) ?? {
      id: organizationId,
      listeners: new Map<QueueListener, number | undefined>(),
      snapshot: undefined,
    };
    this.organizations.set(organizationId, watched);
    watched.listeners.set(listener, accessVersion);
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size === 0 && this.organizations.get(organizationId) === watched)
        this.organizations.delete(organizationId);
    };
  }

  isEmpty(): boolean {
    return this.organizations.size === 0;
  }

  /** How many calls wait. */
  size(): number {
    return [...this.organizations.values()].reduce((sum, { listeners }) => sum + listeners.size, 0);
  }

  async look({ db }: { readonly db: Db }): Promise<void> {
    const watched = [...this.organizations.values()];
    if (watched.length === 0) return;
    const seen = new Map((await lookAtOrganizations(db, watched)).map((each) => [each.id, each]));
    for (const each of watched) notifyOf(each, seen.get(each.id));
  }
}

/** Without what was seen, the organization is gone, and access to it. */
function notifyOf(watched: Watched, seen: SeenOrganization | undefined): void {
  watched.snapshot = seen?.snapshot;
  for (const [listener, known] of [...watched.listeners]) {
    if (known !== seen?.accessVersion) {
      watched.listeners.set(listener, seen?.accessVersion);
      listener('access');
    } else if (seen?.hasChanged) listener('requests');
  }
}
