/** Names of hosts, as URLs and email addresses write them. */

/** False when a label is empty, or begins or ends with a hyphen: no such host exists. One dot may end the name. */
export function isHostName(text: string): boolean {
  const labels = text.replace(/\.$/, '').split('.');
  return labels.every((label) => label !== '' && !label.startsWith('-') && !label.endsWith('-'));
}

/** False also for port 0, which is no port that a client can call. */
export function hasReachableHost({ hostname, port }: URL): boolean {
  return isHostName(hostname) && port !== '0';
}
