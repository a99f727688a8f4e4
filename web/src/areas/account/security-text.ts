/** English texts of the password and the second factor. */
export const security = {
  title: 'Security',
  passwordTitle: 'Password',
  noPassword:
    'You sign in with your identity provider and have no password here. Change your password there.',
  currentPassword: 'Current password',
  newPassword: 'New password',
  newPasswordHint: '12 to 128 characters. Common passwords and your own names are refused.',
  changePassword: 'Change password',
  changingPassword: 'Changing password …',
  passwordChanged: 'Your password is changed. Your other sessions ended.',
  passwordWrong: 'This is not your current password.',

  factorTitle: 'Second factor',
  factorHint:
    'An authenticator app on your phone shows a code that changes every 30 seconds. With it, your password alone does not open your account.',
  factorHintProvider:
    'You sign in with your identity provider, which asks for its own second factor. Add one here only if an action says that a second factor is required.',
  required: 'Your organization requires a second factor for decisions and other sensitive actions.',
  off: 'Off',
  on: 'On',
  since: 'since',
  begin: 'Set up an authenticator app',
  beginning: 'Preparing …',
  notConfigured: 'Second factors are not set up here. Ask your administrator.',
  enrollTitle: 'Set up your authenticator app',
  scan: 'Scan this code with your authenticator app, such as 1Password, Google Authenticator or Aegis.',
  qrLabel: 'QR code with the secret for your authenticator app',
  typeInstead: 'Or type this secret into the app:',
  copySecret: 'Copy secret',
  enterCode: 'Then enter the six digits that the app shows.',
  code: 'Code',
  codeWrong: 'The code is wrong. Enter the code that the app shows now.',
  confirm: 'Turn on',
  confirming: 'Checking the code …',
  cancel: 'Cancel',

  codesTitle: 'Save your recovery codes',
  codesHint:
    'Each code signs you in once if you lose your phone. Keep them where you keep passwords. They are shown only now.',
  codesList: 'Recovery codes',
  copyCodes: 'Copy',
  downloadCodes: 'Download',
  codesSaved: 'I saved them',
  codesFile: 'countersign-recovery-codes.txt',
  codesFileTitle: (email: string) => `Countersign recovery codes for ${email}. Each works once.`,

  codesLeft: (left: number) =>
    left === 1 ? '1 recovery code is left.' : `${left} recovery codes are left.`,
  fewCodes: 'Make new ones before they run out.',
  newCodes: 'New recovery codes',
  newCodesAsk: 'Your current codes will stop working.',
  newCodesConfirm: 'Make new codes',
  remove: 'Remove',
  removeAsk:
    'You will sign in with your password alone, and your recovery codes will stop working. You can set up an app again at any time.',
  removeAskRequired:
    'Your organization requires a second factor: until you set one up again, sensitive actions are refused.',
  removeConfirm: 'Remove second factor',
  removed: 'Your second factor is removed.',
  enrolled: 'Your second factor is on. Your other sessions ended.',
  working: 'Working …',
} as const;
