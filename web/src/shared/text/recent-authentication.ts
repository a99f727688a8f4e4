/** English texts of the dialog that asks for recent authentication. */
export const recentAuthentication = {
  title: 'Confirm that it is you',
  intro: {
    password: 'You signed in a while ago. Enter your password to go on.',
    code: 'This needs a code of your second factor.',
    provider: 'You signed in a while ago. Sign in again at your identity provider to go on.',
  },
  noFactor:
    'This needs a second factor, and your account has none yet. Set one up in your account, then try again.',
  password: 'Password',
  wrongPassword: 'The password is wrong.',
  confirm: 'Confirm',
  confirming: 'Confirming …',
  cancel: 'Cancel',
  atProvider: 'Sign in again with',
  provider: 'your identity provider',
  leaves: 'This leaves the page and comes back to it. What you typed is kept in this tab.',
  cancelled: 'Not sent: you did not confirm that it is you. Try again when you are ready.',
} as const;
