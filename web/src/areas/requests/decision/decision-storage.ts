/** What this tab keeps about a decision: it survives a reload, a sign-in and a failed call. */
import { useSyncExternalStore } from 'react';
import { v4 } from 'uuid';

export type Intent = 'approved' | 'denied';

/** One key for each request and intent. */
export function decisionKey(id: string, intent: Intent): string {
  const name = `decision:${id}:${intent}`;
  const kept = sessionStorage.getItem(name);
  if (kept !== null) return kept;
  const key = v4();
  sessionStorage.setItem(name, key);
  return key;
}

/** What someone types about a request. */
export const noteDraft = {
  read: (id: string): string => sessionStorage.getItem(`note:${id}`) ?? '',
  write: (id: string, note: string): void => {
    sessionStorage.setItem(`note:${id}`, note);
  },
  remove: (id: string): void => {
    sessionStorage.removeItem(`note:${id}`);
  },
};

/** A decision on its way to the service. `unconfirmed`: a try ended without a response. */
type Phase = 'sending' | 'unconfirmed';

export interface SentDecision {
  readonly intent: Intent;
  readonly phase: Phase;
}

const OPENS_NEXT = 'opens-next';

/** Whether the next request opens after a decision. A setting of this browser. */
export const opensNext = {
  read: (): boolean => localStorage.getItem(OPENS_NEXT) === 'on',
  write: (isOn: boolean): void => {
    localStorage.setItem(OPENS_NEXT, isOn ? 'on' : 'off');
  },
};

const listeners = new Set<() => void>();
const sentName = (id: string): string => `sent:${id}`;

function changeSent(change: () => void): void {
  change();
  for (const listener of listeners) listener();
}

export const sentDecisions = {
  write: (id: string, { intent, phase }: SentDecision): void => {
    changeSent(() => {
      sessionStorage.setItem(sentName(id), `${intent} ${phase}`);
    });
  },
  remove: (id: string): void => {
    changeSent(() => {
      sessionStorage.removeItem(sentName(id));
    });
  },
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** The decision that was sent and that the service has not confirmed yet. */
export function useSentDecision(id: string): SentDecision | undefined {
  const kept = useSyncExternalStore(subscribe, () => sessionStorage.getItem(sentName(id)));
  if (kept === null) return undefined;
  return {
    intent: kept.startsWith('approved') ? 'approved' : 'denied',
    phase: kept.endsWith('unconfirmed') ? 'unconfirmed' : 'sending',
  };
}
