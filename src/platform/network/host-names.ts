/** Names of hosts, as URLs and email addresses write them. */

/** The most characters of one label in the domain name system. */
const MAX_LABEL = 63;

/**
 * False when a label is empty or too long, or begins or ends with a hyphen: no such host exists.
 * One dot may end the name.
 */
export function isHostName(text: string): boolean {
  return text.replace(/\.$/, '').split('.').every(isLabel);
}

function isLabel(text: string): boolean {
  return text !== '' && text.length <= MAX_LABEL && !text.startsWith('-') && !text.endsWith('-');
}

/** False also for port 0, which is no port that a client can call. */
export function hasReachableHost({ hostname, port }: URL): boolean {
  return isHostName(hostname) && port !== '0';
}
