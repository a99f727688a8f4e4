/** English texts of the dialog that asks for recent authentication. */
export const recentAuthentication = {
  title: 'Confirm that it is you',
  intro: {
    password: 'You signed in a while ago. Enter your password to continue.',
    code: 'This needs a code from your second factor.',
    provider: 'You signed in a while ago. Sign in again with your identity provider to continue.',
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
  leaves: 'You leave this page and come back to it. What you typed stays in this tab.',
  cancelled: 'Not sent: you did not confirm that it is you. Try again when you are ready.',
} as const;
