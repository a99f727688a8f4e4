/** Single-key shortcuts. They rest while someone types, in dialogs, and when they are switched off (WCAG 2.1.4). */
import { useEffect } from 'react';

const SETTING = 'single-keys';

export const areSingleKeysOn = (): boolean => localStorage.getItem(SETTING) !== 'off';

export function setSingleKeys(isOn: boolean): void {
  localStorage.setItem(SETTING, isOn ? 'on' : 'off');
}

/** Keys by their character, such as `a`. */
export function useSingleKeys(keys: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target, key, repeat, ctrlKey, metaKey, altKey, defaultPrevented } = event;
      if (repeat || ctrlKey || metaKey || altKey || defaultPrevented || !areSingleKeysOn()) return;
      if (
        target instanceof Element &&
        target.closest('input:not([type=checkbox]), textarea, select, dialog, [role=dialog]')
      )
        return;
      const act = keys[key];
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
