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
      ['j', 'Open the next request next to the list'],
      ['k', 'Open the previous request next to the list'],
      ['x', 'Select the request, to deny several together'],
      ['/', 'Search'],
      ['?', 'Show these keys'],
    ],
  },
  {
    title: 'On a request',
    isSingle: true,
    keys: [
      ['a', 'Approve: opens the confirmation, with the focus in the note'],
      ['d', 'Deny: opens the confirmation, with the focus in the note'],
      ['c', 'Claim it'],
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
    title: 'In the list, while a request in it has the focus',
    isSingle: false,
    keys: [
      ['Arrows', 'Go to the next or the previous request'],
      ['Home, End', 'Go to the first or the last request'],
    ],
  },
  {
    title: 'On every page',
    isSingle: false,
    keys: [
      ['Ctrl + K', 'Search for any page. On a Mac, ⌘ + K'],
      ['Tab', 'Go to the next control. The first one skips to the content'],
      ['Shift + Tab', 'Go to the previous control'],
      ['Enter', 'Open the link or press the button that has the focus'],
    ],
  },
];
