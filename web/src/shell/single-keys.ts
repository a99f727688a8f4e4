/** Single-key shortcuts. They rest while someone types, in dialogs, and when they are switched off (WCAG 2.1.4). */
import { useEffect } from 'react';

const SETTING = 'single-keys';

export const areSingleKeysOn = (): boolean => localStorage.getItem(SETTING) !== 'off';

export function setSingleKeys(isOn: boolean): void {
  localStorage.setItem(SETTING, isOn ? 'on' : 'off');
}

/** A letter is the same key with Caps Lock, and another one with Shift. */
function keyOf({ key, shiftKey }: KeyboardEvent): string {
  if (!/^[a-z]$/i.test(key)) return key;
  return shiftKey ? key.toUpperCase() : key.toLowerCase();
}

/** Keys by their character, such as `a`. */
export function useSingleKeys(keys: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target, repeat, isComposing, defaultPrevented } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || !areSingleKeysOn()) return;
      if (repeat || isComposing || defaultPrevented) return;
      if (
        target instanceof Element &&
        target.closest('input:not([type=checkbox]), textarea, select, [role=dialog]')
      )
        return;
      if (document.querySelector('dialog[open]')) return;
      const act = keys[keyOf(event)];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => {
      removeEventListener('keydown', press);
    };
  }, [keys]);
}
