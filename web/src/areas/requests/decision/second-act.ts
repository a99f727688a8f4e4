/**
 * The button that confirms a decision, so that one act never counts as two, and nothing that someone types
 * counts as one.
 */
import { useEffect, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { useHeldSingleKeys } from '../../../shared/browser/single-keys.ts';
import { isAmidTyping } from '../../../shared/browser/typing.ts';

/** A double tap is over by then, wherever its second touch lands. */
const SECOND_ACT_MS = 300;

/** Enter so soon after another key is the end of something that was typed. */
const TYPING_MS = 600;

interface SecondAct {
  readonly isAllowed: boolean;
  readonly confirm: () => void;
}

/**
 * What the button is given, and the group around it and its note. They appear with the first act, and
 * `confirm` is called by the second: a click, Enter on the button, or Ctrl or Command with Enter.
 */
export function useSecondAct({ isAllowed, confirm }: SecondAct) {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setReady(true);
    }, SECOND_ACT_MS);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  useHeldSingleKeys();
  const act = (event: KeyboardEvent) => {
    event.preventDefault();
    const { target, nativeEvent } = event;
    const field = target instanceof HTMLTextAreaElement ? target : undefined;
    if (!isReady || !isAllowed || event.repeat) return;
    if (!isAmidTyping(nativeEvent, { ms: TYPING_MS, field })) confirm();
  };
  return {
    button: {
      disabled: !isAllowed,
      'aria-disabled': !isReady,
      onClick: ({ detail }: MouseEvent) => {
        // The second click of a double click is no second act.
        if (detail <= 1 && isReady) confirm();
      },
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key === 'Enter') act(event);
        preventSpace(event);
      },
      onKeyUp: preventSpace,
    },
    group: { onKeyDownCapture: useHeldKey(), onKeyDown: onCtrlEnter(act) },
  };
}

/** A blank is typed more often than it is meant. Firefox presses a button when the key is released. */
function preventSpace(event: KeyboardEvent): void {
  if (event.key === ' ') event.preventDefault();
}

const onCtrlEnter = (act: (event: KeyboardEvent) => void) => (event: KeyboardEvent) => {
  const { key, ctrlKey, metaKey, target, nativeEvent } = event;
  if (key !== 'Enter' || !(ctrlKey || metaKey) || nativeEvent.isComposing) return;
  // Another button keeps its meaning.
  if (target instanceof Element && !target.closest('button, a')) act(event);
};

/** The key that opened the group, while it is still held, types nothing into its note. */
function useHeldKey() {
  const isOpen = useRef(false);
  return (event: KeyboardEvent) => {
    if (!event.repeat) isOpen.current = true;
    else if (!isOpen.current) event.preventDefault();
  };
}
