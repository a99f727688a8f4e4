/**
 * Single-key shortcuts. They rest while someone types, in dialogs and menus, while a confirmation is open, and when
 * they are switched off (WCAG 2.1.4). One listener serves all parts of the page.
 */
import { useEffect, useEffectEvent } from 'react';
import { pauseBeforeLastKey } from './typing.ts';

const SETTING = 'single-keys';

/** After a confirmation, what someone types continues for a while. */
const REST_MS = 1_000;

export const areSingleKeysOn = (): boolean => localStorage.getItem(SETTING) !== 'off';

export function setSingleKeys(isOn: boolean): void {
  localStorage.setItem(SETTING, isOn ? 'on' : 'off');
}

let held = 0;
/** When the last confirmation closed, until a pause has followed. */
let closedAt: number | undefined;

/** While it is mounted, single keys rest. Afterwards they rest until a second has passed without keys. */
export function useHeldSingleKeys(): void {
  useEffect(() => {
    held += 1;
    return () => {
      held -= 1;
      closedAt = performance.now();
    };
  }, []);
}

/** For the last key. `at`: the time of the key, or of the click that it made. */
export function areSingleKeysResting(at: number): boolean {
  if (held > 0) return true;
  if (closedAt === undefined) return false;
  const isResting = at - closedAt < REST_MS || pauseBeforeLastKey() < REST_MS;
  if (!isResting) closedAt = undefined;
  return isResting;
}

/** A letter is the same key with Caps Lock, and another one with Shift. */
function keyOf({ key, shiftKey }: KeyboardEvent): string {
  if (!/^[a-z]$/i.test(key)) return key;
  return shiftKey ? key.toUpperCase() : key.toLowerCase();
}

/** Where keys are text, or have a separate meaning. */
const ELSEWHERE = [
  'input:not([type=checkbox], [type=radio])',
  'textarea',
  'select',
  '[contenteditable]:not([contenteditable=false])',
  'dialog',
  ...['textbox', 'combobox', 'listbox', 'menu', 'grid', 'dialog', 'alertdialog'].map(
    (role) => `[role=${role}]`,
  ),
].join();

type Act = (() => void) | undefined;

/** What parts of the page do at a key. The last to come is asked first. */
let parts: readonly ((key: string) => Act)[] = [];

function press(event: KeyboardEvent): void {
  const { target, repeat, isComposing, defaultPrevented } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || !areSingleKeysOn()) return;
  if (repeat || isComposing || defaultPrevented) return;
  if (target instanceof Element && target.closest(ELSEWHERE)) return;
  if (document.querySelector('dialog[open]')) return;
  const key = keyOf(event);
  const act = parts.reduce<Act>((found, part) => found ?? part(key), undefined);
  if (!act || areSingleKeysResting(event.timeStamp)) return;
  event.preventDefault();
  act();
}

/** Keys by their character, such as `a`. */
export function useSingleKeys(keys: Readonly<Record<string, () => void>>): void {
  const actOf = useEffectEvent((key: string): Act => keys[key]);
  useEffect(() => {
    const part = (key: string) => actOf(key);
    if (parts.length === 0) addEventListener('keydown', press);
    parts = [part, ...parts];
    return () => {
      parts = parts.filter((each) => each !== part);
      if (parts.length === 0) removeEventListener('keydown', press);
    };
  }, []);
}
