/** What this tab keeps about an answer: it survives a reload, a sign-in and a failed call. */
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

/** An answer on its way to the service. `unconfirmed`: a try ended without an answer. */
type Phase = 'sending' | 'unconfirmed';

export interface SentAnswer {
  readonly intent: Intent;
  readonly phase: Phase;
}

const listeners = new Set<() => void>();
const sentName = (id: string): string => `sent:${id}`;

function changeSent(change: () => void): void {
  change();
  for (const listener of listeners) listener();
}

export const sentAnswers = {
  write: (id: string, { intent, phase }: SentAnswer): void => {
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

/** The answer that was sent and has no answer of the service yet. */
export function useSentAnswer(id: string): SentAnswer | undefined {
  const kept = useSyncExternalStore(subscribe, () => sessionStorage.getItem(sentName(id)));
  if (kept === null) return undefined;
  return {
    intent: kept.startsWith('approved') ? 'approved' : 'denied',
    phase: kept.endsWith('unconfirmed') ? 'unconfirmed' : 'sending',
  };
}
