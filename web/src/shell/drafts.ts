/**
 * What a person typed and did not send yet. It stays in this tab over reloads and a sign-in, also
 * one at the identity provider, and is deleted when another person signs in.
 */
import { useState } from 'react';

const OWNER = 'drafts-of';
const PREFIX = 'draft:';

/** Deletes the drafts of anyone else. */
export function keepDraftsOf(membershipId: string): void {
  if (sessionStorage.getItem(OWNER) === membershipId) return;
  deleteDrafts();
  sessionStorage.setItem(OWNER, membershipId);
}

export function deleteDrafts(): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(PREFIX) || key === OWNER) sessionStorage.removeItem(key);
}

/** Like `useState` for a text. `name` says what the text is for; an empty text deletes the draft. */
export function useDraft(name: string): readonly [string, (text: string) => void] {
  const key = `${PREFIX}${name}`;
  const [kept, setKept] = useState(() => ({ key, text: sessionStorage.getItem(key) ?? '' }));
  // Another name, such as that of the next request, has a draft of its own.
  const text = kept.key === key ? kept.text : (sessionStorage.getItem(key) ?? '');
  if (kept.key !== key) setKept({ key, text });
  const set = (next: string) => {
    setKept({ key, text: next });
    if (next === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, next);
  };
  return [text, set];
}
