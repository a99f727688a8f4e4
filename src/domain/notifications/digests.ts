/** Digests: one message for the requests that came after the first few messages of a minute. */
import { shownLine } from '../shown-text.ts';

/** So many messages a receiver gets over a channel in a window. The rest is one digest. */
export const MESSAGES_A_WINDOW = 5;
export const WINDOW_SECONDS = 60;
/** A request that expires sooner after the digest does not wait for it: people need time to decide. */
export const LEAST_SECONDS_AFTER_DIGEST = 60;

/** `12 more requests wait for you` */
export const digestTitle = (count: number): string =>
  count === 1 ? '1 more request waits for you' : `${count} more requests wait for you`;

/** `12 more requests wait for a decision`, for the readers of a channel. */
export const announcedDigestTitle = (count: number): string =>
  count === 1
    ? '1 more request waits for a decision'
    : `${count} more requests wait for a decision`;

/** The email. */
export function digestText({
  count,
  url,
  recipient,
}: {
  readonly count: number;
  /** The queue in the web app. */
  readonly url: string;
  readonly recipient: { readonly displayName: string };
}): string {
  return [
    `Hello ${shownLine(recipient.displayName)},`,
    '',
    `${digestTitle(count)}. Sign in to see them in your queue:`,
    '',
    url,
    '',
    `You got ${MESSAGES_A_WINDOW} messages within a minute. This one is for all requests that came after them in that minute.`,
  ].join('\n');
}
