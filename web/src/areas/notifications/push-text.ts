/** English texts of push messages to browsers. */
export const push = {
  title: 'Push messages',
  hint: 'Notifications in this browser, even when the app is closed. They name the tool and the agent, never the arguments. A click opens the request; nothing is decided from a notification.',
  notConfigured: 'Push messages are not set up. Ask your administrator.',
  obstacles: {
    insecure: 'This browser receives push messages only over HTTPS.',
    home_screen:
      'On iPhone and iPad, add Countersign to the home screen first: tap Share, then Add to Home Screen. Then open it from there and come back to this page. It needs iOS 16.4 or later.',
    unsupported: 'This browser does not support push messages.',
    denied:
      'You blocked notifications from this site. Allow them in your browser’s settings, then reload this page.',
  },
  add: 'Notify me in this browser',
  adding: 'Subscribing …',
  added: 'This browser now receives push messages. Send a test message to see one.',
  notAllowed: 'You did not allow this browser to show notifications.',
  thisBrowser: 'This browser',
  since: 'Since',
  by: 'by',
  test: 'Send a test',
  testOf: (device: string) => `Send a test message to ${device}`,
  tested: 'Test message sent.',
  testFailed:
    'The push service did not accept the test message. Remove this browser and add it again, or try later.',
  remove: 'Remove',
  removeOf: (device: string) => `Remove ${device}`,
  removed: 'The browser no longer receives push messages.',
} as const;
