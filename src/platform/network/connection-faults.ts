/** Says in one word why a connection gave no response, for people who have to fix it. */
export type ConnectionFault =
  'dns' | 'refused' | 'unreachable' | 'certificate' | 'tls' | 'reset' | 'timeout' | 'protocol';

/** The codes of Node, of its resolver, of OpenSSL and of our own calls. The first match counts. */
const FAULTS: readonly (readonly [RegExp, ConnectionFault])[] = [
  [/^(ENOTFOUND|EAI_|ENODATA)/, 'dns'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^(EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, 'unreachable'],
  [/CERT|^(UNABLE_TO_|CRL_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH)/, 'certificate'],
  [/^(EPROTO$|ERR_SSL_|ERR_TLS_)/, 'tls'],
  [/TIMEOUT|^ETIMEDOUT$/, 'timeout'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE)$/, 'reset'],
  [/^(HPE_|TOO_MANY_PROVISIONAL_RESPONSES$)/, 'protocol'],
];

/** Undefined for what is no failure of a connection. Errors that wrap it are looked through. */
export function connectionFault(error: unknown): ConnectionFault | undefined {
  for (const code of codesOf(error)) {
    const found = FAULTS.find(([pattern]) => pattern.test(code));
    if (found) return found[1];
  }
  return undefined;
}

/** The codes of an error and of its causes, the outermost first. */
export function codesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return [...(typeof code === 'string' ? [code] : []), ...codesOf(cause)];
}
