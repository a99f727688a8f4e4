/** English texts of the sign-in pages. */
export const signIn = {
  title: 'Sign in',
  email: 'Email',
  password: 'Password',
  submit: 'Sign in',
  welcomeTitle: 'Welcome to Countersign',
  welcomeIntro: 'Create your organization and its first owner. You do this once.',
  secret: 'Bootstrap secret',
  secretHint: 'The service printed it at its first start and keeps it in its data folder.',
  organizationName: 'Organization name',
  displayName: 'Your name',
  newPassword: 'Password',
  create: 'Create organization',
} as const;
