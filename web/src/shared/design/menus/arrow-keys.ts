/** Moves the focus between elements that are one stop of the Tab key. */
import type { KeyboardEvent } from 'react';

const KEYS = { row: ['ArrowLeft', 'ArrowRight'], column: ['ArrowUp', 'ArrowDown'] } as const;

/** The element that the key led to. Past the last one comes the first. */
export function moveFocus<Part extends HTMLElement>(
  event: KeyboardEvent,
  elements: readonly Part[],
  layout: keyof typeof KEYS,
): Part | undefined {
  const [back, on] = KEYS[layout];
  const at = elements.findIndex((element) => element === document.activeElement);
  const places: Readonly<Record<string, number>> = {
    [back]: at <= 0 ? -1 : at - 1,
    [on]: (at + 1) % elements.length,
    Home: 0,
    End: -1,
  };
  const place = places[event.key];
  const element = place === undefined ? undefined : elements.at(place);
  if (!element) return undefined;
  event.preventDefault();
  element.focus();
  return element;
}
