/** In place of the app once another person has signed in in this browser. Nothing of theirs is drawn, and nothing is sent. */
import { useSyncExternalStore } from 'react';
import { Button } from '../shared/design/button.tsx';
import { useTitle } from '../shared/page/title.ts';
import { session as text } from '../shared/text/session.ts';
import type { Account } from '../shared/session/session.ts';
import classes from '../shared/page/states.module.css';

let other: Account | undefined;
const listeners = new Set<() => void>();

export function showOtherPerson(account: Account): void {
  other = account;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Who is signed in now, where the page was made for someone else. */
export const useOtherPerson = (): Account | undefined =>
  useSyncExternalStore(subscribe, () => other);

export function OtherPerson({ account }: { readonly account: Account }) {
  useTitle(text.otherPersonTitle);
  return (
    <main>
      <div className={classes['state']} role="alert">
        <h1>{text.otherPersonTitle}</h1>
        <p>
          {text.otherPersonNow} <bdi translate="no">{account.user.display_name}</bdi>.{' '}
          {text.otherPersonHint}
        </p>
        <Button
          onClick={() => {
            location.reload();
          }}
        >
          {text.reload}
        </Button>
      </div>
    </main>
  );
}
