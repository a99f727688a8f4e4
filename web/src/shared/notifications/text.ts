/** English texts about channels whose messages do not arrive. */
export const notificationTroubles = {
  broken: 'no message has arrived since',
  failing: 'messages are tried again since',
  because: 'The cause:',
} as const;
