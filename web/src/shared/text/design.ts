/** English texts of components that many pages use: fields, messages, dialogs and menus. */
export const fields = {
  noDuration: 'Enter a whole number from 1, and choose a unit.',
  unitOf: (label: string) => `Unit of ${label}`,
  units: { s: 'seconds', m: 'minutes', h: 'hours' },
  noMatch: 'Nothing matches. Change what you typed.',
  examples: 'such as',
} as const;

export const messages = {
  undo: 'Undo',
  dismiss: 'Dismiss',
  close: 'Close',
  cancel: 'Cancel',
  stay: 'Stay here',
  leave: 'Leave',
  typeName: 'Type this to confirm:',
  nameDiffers: 'This does not match yet.',
} as const;

export const lists = {
  clear: 'Clear search and filters',
} as const;

/** Something in the browser changed the page, or the page has a fault. The service has none. */
export const notShown = {
  part: 'This part could not be shown.',
  page: 'This page could not be shown in this browser. An extension or a translation may have changed it.',
  again: 'Try again',
} as const;
