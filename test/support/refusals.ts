/** The shape of a refusal, for `toMatchObject`, the short form of a response, and the problems that it names. */
import type { ApiResponse } from './http.ts';

export const refused = (status: number, code: string, details?: object) => ({
  status,
  body: { error: { code, ...(details && { details }) } },
});

/** `200`, or `409 claim_held`. */
export const outcome = ({ status, body }: ApiResponse): string =>
  status < 300 ? String(status) : `${status} ${String(body['error']?.['code'])}`;

export const issuesOf = (response: { body: unknown }) =>
  (response.body as { error: { details: { issues: { pointer: string; code: string }[] } } }).error
    .details.issues;
