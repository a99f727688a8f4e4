/** English texts of the notification pages. */
export const notifications = {
  title: 'Notifications',
  channelsTitle: 'How you are notified',
  channelsHint:
    'When a request waits for you. Your queue shows every request regardless. A change takes effect at once.',
  channels: { email: 'Email', slack: 'Slack', push: 'Push messages' },
  emailTo: 'To',
  slackLinked: 'A direct message with buttons to answer.',
  slackUnlinked: 'Link your Slack user below first.',
  slackNotConnected: 'Your organization has no Slack workspace connected.',
  pushDevices: 'To the browsers that you choose below.',
  saved: 'Saved.',

  slackTitle: 'Slack',
  slackNone:
    'Your organization has not connected a Slack workspace. People who may change connections can do that.',
  slackIntro: 'Link your Slack user to receive requests there and to answer them.',
  slackWorkspace: 'Workspace',
  slackUser: 'Slack user',
  linkedSince: 'Linked',
  link: 'Link Slack',
  linkAgain: 'Link another Slack user',
  linking: 'Getting a code …',
  typeCommand: 'Send this command in any conversation of the workspace:',
  copyCommand: 'Copy command',
  commandUntil: 'It works once, until',
  waiting: 'This page shows when Slack has confirmed it.',
  linked: 'Your Slack user is linked.',
  unlink: 'Unlink',
  unlinking: 'Unlinking …',
  unlinked: 'Your Slack user is no longer linked.',
  cancel: 'Cancel',
} as const;
