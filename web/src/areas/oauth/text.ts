/** English texts of the page on which a person lets an app act for them. */
export const consent = {
  title: 'Let an app act for you?',
  warning:
    'Continue only if you started this yourself in an app that you trust. The name below is what the app calls itself.',
  name: 'App',
  identity: 'Who it is',
  verified: 'Its address was checked:',
  unverified: 'Not checked. Anyone can register an app under any name.',
  resembles: (name: string) =>
    `The name looks like ${name}. Nothing shows that this app comes from there.`,
  home: 'Its home page',
  returnsTo: 'Access goes to',
  thisComputer: 'A program on this computer:',
  appScheme: 'An app on this device that opens links starting with:',
  actsAs: 'Acts as',
  opens: 'Opens',
  opensMcp: 'Only the MCP endpoint of this service',
  opensApi: 'The whole API of this service',
  lasts: 'Lasts',
  lastsText:
    'Until you revoke its API key, the app goes unused for 30 days, or you leave the organization.',
  lastsAtMost: (date: string) =>
    `Until ${date} at the latest. It ends sooner if you revoke its API key, if the app goes unused for 30 days, or if you leave the organization.`,
  everything: 'It can do everything you can',
  everythingHint:
    'This includes permissions you are given later. In this edition, the access of an app cannot be limited.',
  choose: 'What it may do',
  chooseHint: 'It can never do more than you can. Clear anything it does not need.',
  onlyReading: 'The app did not say what it needs, so only reading is selected.',
  notHeld: 'It also asked for these permissions. You do not have them, so it will not get them:',
  dangerous: 'dangerous',
  none: 'Choose at least one permission.',
  approve: 'Allow access',
  approving: 'Allowing access …',
  decline: 'Decline',
  approved: 'The app has access',
  declined: 'You declined',
  goBack: 'Go back to the app. You can close this page.',
  open: 'Back to the app',
  unknownTitle: 'We do not know this app',
  unknown: 'No app is registered with this address. Start again in the app.',
  redirectTitle: 'This link is not safe',
  redirect:
    'It would send your access to an address that the app has not registered. Do not continue, and tell the person who gave you the link.',
  metadataTitle: 'This app cannot be checked',
  invalidTitle: 'This request is not valid',
  invalid: (target: string) =>
    `It would send you to ${target}. Nothing was sent there. If you started this yourself, start again from the app. If this happens again, contact its developer.`,
  disabledTitle: 'Apps cannot act for people here',
  disabled: 'The organization does not allow personal API keys. Ask an owner.',
} as const;
