/** English texts of forms. */
export const form = {
  missing: 'Fill in this field.',
  notAnEmail: 'Enter an email address, such as ada@example.com.',
  notValid: 'Check this field.',
  checkFields: 'Check the marked fields.',
  showPassword: 'Show password',
  wait: (seconds: number) => `Too many attempts. Try again in ${duration(seconds)}.`,
  waitOver: 'You can try again now.',
} as const;

function duration(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
