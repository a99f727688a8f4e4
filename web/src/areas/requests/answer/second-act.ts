/** The button that confirms an answer, so that one act never counts as two. */
import { useEffect, useState, type KeyboardEvent, type MouseEvent } from 'react';

/** A double tap is over by then, wherever its second touch lands. */
const SECOND_ACT_MS = 300;

/** What such a button is given. It appears with the first act, and `confirm` is called by the second. */
export function useSecondAct(confirm: () => void) {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setReady(true);
    }, SECOND_ACT_MS);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  return {
    'aria-disabled': !isReady,
    onClick: ({ detail }: MouseEvent) => {
      // The second click of a double click is no second act.
      if (detail <= 1 && isReady) confirm();
    },
    onKeyDown: (event: KeyboardEvent) => {
      // A held key is no second act.
      if (event.repeat) event.preventDefault();
    },
  };
}
