/** English texts of push messages to browsers. */
export const push = {
  title: 'Push messages',
  hint: 'A notification of this browser, also when the app is closed. It names the tool and the agent, never arguments. A click opens the request; nothing is decided from a notification.',
  notConfigured: 'Push messages are not set up. Ask your administrator.',
  obstacles: {
    insecure: 'This browser gets push messages only over HTTPS.',
    home_screen:
      'On iPhone and iPad, add Countersign to the home screen first: tap Share, then Add to Home Screen. Then open it from there and come back to this page. It needs iOS 16.4 or later.',
    unsupported: 'This browser does not support push messages.',
    denied:
      'You blocked notifications of this site. Allow them in the settings of the browser, then reload this page.',
  },
  add: 'Notify me in this browser',
  adding: 'Subscribing …',
  added: 'This browser gets push messages now. Send a test message to see one.',
  notAllowed: 'The browser did not get your permission to show notifications.',
  thisBrowser: 'This browser',
  since: 'Since',
  by: 'by',
  test: 'Send a test',
  testOf: (device: string) => `Send a test message to ${device}`,
  tested: 'Test message sent.',
  testFailed:
    'The push service did not take the test message. Remove this browser and subscribe again, or try later.',
  remove: 'Remove',
  removeOf: (device: string) => `Remove ${device}`,
  removed: 'The browser gets no more push messages.',
} as const;
