/** Where an instance wants to be told of its decisions, as AAP 1.0.0 writes it. */

/** What a provisioner sends. Its grammar is checked. */
export interface DeliveryInput {
  readonly type: 'webhook';
  readonly url: string;
  readonly registration_id: string;
  /** `whsec_` and 32 bytes in base64. */
  readonly signing_secret: string;
}

/** What anyone may read. */
export interface Receiver {
  readonly url: string;
  /** By it the receiver finds the secret of a verification. */
  readonly registrationId: string;
}

/** As AAP 1.0.0 has it. */
export const RECEIVER_URL = /^https:\/\/[^/?#@\s]+([/?][^#\s]*)?$/;
/** What URL parsers drop or change, so that another address is called than the one that is shown. */
const ODD = /[\p{C}\\]/u;

/** Why no receiver can have this URL. The egress guard decides where it may lead. Undefined: it may be one. */
export function receiverUrlProblem(url: string): string | undefined {
  if (!RECEIVER_URL.test(url)) return 'must be an https URL without user name and fragment';
  if (ODD.test(url)) return 'must contain no backslashes or invisible characters';
  if (!URL.canParse(url)) return 'must be a URL with a host';
  return new URL(url).port === '0'
    ? 'must not name port 0, at which nothing can listen'
    : undefined;
}

/** Receivers with the same host share limits, whatever their port, and however the host is written. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/\.+$/, '');

/** What a call to a URL is counted by. A host may be an address itself. */
export const destinationsOf = (url: string, addresses: readonly string[]): readonly string[] => [
  ...new Set([hostOf(url), ...addresses]),
];
