/**
 * When keys were pressed. Times are those of the events: a busy page handles a key late, but knows when it
 * was pressed.
 */
interface Press {
  readonly event: KeyboardEvent;
  readonly target: EventTarget | null;
}

/** Keys that only change what others mean. */
const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock']);
/** Keys that move about. People press them right before the key that they mean. */
const MOVES = /^(?:Tab|Escape|Arrow\w+|Home|End|Page\w+|F\d+)$/;
const KEPT_MS = 2_000;

let presses: readonly Press[] = [];

export function watchTyping(): void {
  const options = { capture: true, passive: true };
  addEventListener(
    'keydown',
    (event) => {
      if (MODIFIERS.has(event.key)) return;
      const recent = presses.filter((each) => event.timeStamp - each.event.timeStamp < KEPT_MS);
      presses = [...recent, { event, target: event.target }];
    },
    options,
  );
}

/** AltGr, which types characters, is Ctrl and Alt at once. */
const isTyped = ({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean =>
  !MOVES.test(key) && !metaKey && (!ctrlKey || altKey);

/** For how long no key had been pressed before the last one. */
export function pauseBeforeLastKey(): number {
  const [before, last] = presses.slice(-2);
  return before && last ? last.event.timeStamp - before.event.timeStamp : Infinity;
}

/** Whether someone was typing right before they pressed this key, and not in `field`. */
export const isAmidTyping = (
  pressed: KeyboardEvent,
  { ms, field }: { readonly ms: number; readonly field?: Element | undefined },
): boolean =>
  presses.some(
    ({ event, target }) =>
      event !== pressed &&
      target !== field &&
      isTyped(event) &&
      pressed.timeStamp - event.timeStamp < ms,
  );
