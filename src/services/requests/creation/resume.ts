/** An equal call of the agent that is open, or approved and not started. */
import { findRequest } from '../../../data/requests/read.ts';
import { findResumable, lockCall } from '../../../data/requests/resumable.ts';
import type { AgentPrincipal } from '../../../domain/people/authorization.ts';
import type { ApprovalRequest } from '../../../domain/requests/approval-requests.ts';
import { callDigest } from '../../../domain/requests/call-marks.ts';
import type { NewApprovalRequest } from '../../../domain/requests/engine/create.ts';
import { parseExact } from '../../../platform/json/exact-json.ts';
import { exactEquals, type ExactObject } from '../../../platform/json/exact-values.ts';
import type { Trx } from '../../../platform/postgres.ts';
import type { Runtime } from '../../context.ts';
import { isLarge } from '../../heavy-work.ts';

/**
 * Equal creates wait for the end of the transaction, so that people are asked once. Without the agent's setting, only a
 * request of the same instance and session continues.
 */
export async function findEqualCall(
  trx: Trx,
  runtime: Pick<Runtime, 'workerPool'>,
  { principal, input }: { readonly principal: AgentPrincipal; readonly input: NewApprovalRequest },
): Promise<ApprovalRequest | undefined> {
  const { organizationId, agentSlug, resume, instanceId } = principal;
  const digest = callDigest({ ...principal, ...input });
  await lockCall(trx, digest);
  const isAny = resume === 'agent';
  const found = await findResumable(trx, {
    ...{ organizationId, agentSlug, digest },
    instanceId: isAny ? undefined : instanceId,
  });
  const place = isAny
    ? 0
    : await placeInSession(runtime, principal, [
        input.context?.text,
        ...found.map(({ context }) => context ?? undefined),
      ]);
  const chosen = found[place];
  return chosen && (await findRequest(trx, chosen.id))?.request;
}

async function placeInSession(
  { workerPool }: Pick<Runtime, 'workerPool'>,
  { credentialId }: AgentPrincipal,
  contexts: readonly (string | undefined)[],
): Promise<number> {
  return isLarge(contexts)
    ? await workerPool.run(firstInSession, contexts, credentialId)
    : firstInSession(contexts);
}

/** Where the first of the others is whose `session` is that of the first one. -1: none. */
export function firstInSession([own, ...others]: readonly (string | undefined)[]): number {
  const session = sessionOf(own);
  return others.findIndex((context) => exactEquals(sessionOf(context), session));
}

/** Not by Postgres, which cannot read every JSON text. */
const sessionOf = (context: string | undefined) =>
  context === undefined
    ? null
    : ((parseExact(context, { read: ['session'] }) as ExactObject)['session'] ?? null);
