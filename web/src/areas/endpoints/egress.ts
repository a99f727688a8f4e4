/** Whether the service refused a URL because of where it leads. Pure. */
import { ApiError } from '../../shared/api/api.ts';

export function isEgressRefusal(error: unknown): boolean {
  const issues = error instanceof ApiError ? error.details['issues'] : undefined;
  return (
    Array.isArray(issues) &&
    (issues as readonly { readonly code: string }[]).some(({ code }) => code === 'egress_denied')
  );
}
