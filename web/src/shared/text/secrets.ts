/** English texts of what is shown only once. */
export const secrets = {
  once: 'This is shown only once. Store it now.',
  show: 'Show',
  hide: 'Hide',
  copy: 'Copy',
  save: 'Save as .env',
  stored: 'I stored it',
  leaveTitle: 'Did you store it?',
  leaveWhy: 'It is shown only once. When you leave this page, you cannot see it again.',
} as const;

export const replaceSecret = {
  title: 'Replace the signing secret?',
  why: 'The new one is shown once. Until your receiver has it, keep the old one working:',
  overlap: 'The old secret stops',
  overlaps: { none: 'At once', '1h': 'In 1 hour', '24h': 'In 24 hours', '168h': 'In 7 days' },
  both: 'Until then, both secrets sign.',
  stopsBefore: 'An earlier secret still signs, too. It stops at once.',
  confirm: 'Replace secret',
  busy: 'Replacing …',
} as const;
