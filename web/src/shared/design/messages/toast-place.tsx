/** Where messages appear. What draws them comes with the first screen that can show one. */
import { createElement, useSyncExternalStore, type FunctionComponent } from 'react';

let content: FunctionComponent | undefined;
const listeners = new Set<() => void>();

export function fillToastPlace(component: FunctionComponent): void {
  content = component;
  for (const each of listeners) each();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** Once in the frame, before there is a message: screen readers read what comes later. */
export function ToastPlace() {
  const shown = useSyncExternalStore(subscribe, () => content);
  return (
    <div role="status" aria-live="polite">
      {shown && createElement(shown)}
    </div>
  );
}
