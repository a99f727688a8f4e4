/** Short messages about what was done, with a way to undo it. They wait while someone reads or reaches them. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { messages as text } from '../../text/design.ts';
import { fillToastPlace } from './toast-place.tsx';
import classes from './toasts.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo: (() => void) | undefined;
}

/** Long enough to read it, and to reach its button with the Tab key. */
const SHOWN_MS = 10_000;
/** More would cover the page. */
const MOST = 3;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const each of listeners) each();
}

const dismiss = (id: number) => {
  change(toasts.filter((each) => each.id !== id));
};

/** `undo`: takes back what was done. Without it, the message only tells. */
export function showToast(message: string, { undo }: { readonly undo?: () => void } = {}): void {
  lastId += 1;
  change([...toasts, { id: lastId, text: message, undo }].slice(-MOST));
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className={classes['toasts']}>
      {shown.map((toast) => (
        <Shown key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

fillToastPlace(Toasts);

function Shown({ toast: { id, text: message, undo } }: { readonly toast: Toast }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => {
      dismiss(id);
    }, SHOWN_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [id, isHeld]);
  const hold = (is: boolean) => () => {
    setHeld(is);
  };
  return (
    <div
      className={classes['toast']}
      onMouseEnter={hold(true)}
      onMouseLeave={hold(false)}
      onFocus={hold(true)}
      onBlur={hold(false)}
    >
      <span>{message}</span>
      {undo && (
        <button
          type="button"
          onClick={() => {
            dismiss(id);
            undo();
          }}
        >
          {text.undo}
        </button>
      )}
      <button
        type="button"
        onClick={() => {
          dismiss(id);
        }}
      >
        {text.dismiss}
      </button>
    </div>
  );
}
