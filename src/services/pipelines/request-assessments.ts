/** What language models read and concluded about a request. */
import { listAssessments } from '../../data/pipelines/request-assessments.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import type { Assessment } from '../../domain/pipelines/judge/assessments.ts';
import type { ServiceContext } from '../context.ts';
import { getRequest } from '../requests/queue.ts';

/** Oldest first. Throws as `getRequest` does: `not_found`, `request_not_routed`. */
export async function getAssessments(
  context: ServiceContext,
  principal: ProductPrincipal,
  id: string,
): Promise<readonly Assessment[]> {
  await getRequest(context, principal, id);
  return await listAssessments(context.db, id);
}
