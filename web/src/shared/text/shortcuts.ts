/** The keys of the app, in English. Each single key that a page uses is here. */
interface ShortcutGroup {
  readonly title: string;
  /** Whether the switch for single keys turns these off. */
  readonly isSingle: boolean;
  readonly keys: readonly (readonly [key: string, action: string])[];
}

export const shortcutGroups: readonly ShortcutGroup[] = [
  {
    title: 'In the list of requests',
    isSingle: true,
    keys: [
      ['j', 'Go to the next request'],
      ['k', 'Go to the previous request'],
      ['x', 'Select the request, to deny several together'],
    ],
  },
  {
    title: 'On a request',
    isSingle: true,
    keys: [
      ['a', 'Approve: opens the confirmation, with the focus in the note'],
      ['d', 'Deny: opens the confirmation, with the focus in the note'],
    ],
  },
  {
    title: 'In a confirmation',
    isSingle: false,
    keys: [
      ['Ctrl + Enter', 'Confirm. On a Mac, ⌘ + Enter'],
      ['Enter', 'Confirm, when its button has the focus. Space never confirms'],
      ['Escape', 'Go back without deciding'],
    ],
  },
  {
    title: 'On every page',
    isSingle: false,
    keys: [
      ['Tab', 'Go to the next control. The first one skips to the content'],
      ['Shift + Tab', 'Go to the previous control'],
      ['Enter', 'Open the link or press the button that has the focus'],
    ],
  },
];
