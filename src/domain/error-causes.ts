/** Why a connection to another system gave no response: what to look at. */
export const ERROR_CAUSES = [
  'dns',
  'refused',
  'unreachable',
  'certificate',
  'tls',
  'reset',
  'timeout',
  'protocol',
] as const;
export type ErrorCause = (typeof ERROR_CAUSES)[number];
