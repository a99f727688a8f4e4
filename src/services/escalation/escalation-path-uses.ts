/** What uses an escalation path: blocks and defaults of active pipelines, and requests that wait on it. */
import { scopeOf, type ProductPrincipal } from '../../domain/people/authorization.ts';
import { placedBlocks } from '../../domain/pipelines/nesting.ts';
import {
  pipelineOwner,
  type PipelineKey,
} from '../../domain/pipelines/request-approval-pipelines.ts';
import type { PipelineScope } from '../../domain/pipelines/types.ts';
import { AppError } from '../../domain/errors.ts';
import { listAccess } from '../../domain/requests/request-access.ts';
import { escalationPathTables } from '../../data/escalation/escalation-paths.ts';
import {
  listActiveUsesOfPath,
  type PathUse,
} from '../../data/pipelines/request-approval-pipelines.ts';
import { countWaitingOnPath } from '../../data/requests/waiting-on-path.ts';
import { timeoutsOnPath, type TimeoutsOnPath } from '../../data/requests/timeouts-on-path.ts';
import { findDocument } from '../../data/revisions.ts';
import type { ServiceContext } from '../context.ts';
import { storedPipeline } from '../evaluation/compiled-pipelines.ts';

/** A block of an active pipeline that names the path. Without a block: the pipeline's default path. */
export interface EscalationPathUse {
  readonly pipelineId: string;
  readonly scope: PipelineScope;
  readonly agentSlug?: string;
  readonly revision: number;
  readonly blockKey?: string;
  readonly blockName?: string;
}

export interface EscalationPathUses {
  readonly uses: readonly EscalationPathUse[];
  /** There are more uses than these. */
  readonly truncated: boolean;
  /** Counted up to `MOST_WAITING`. */
  readonly waitingCount: number;
  readonly timeouts: TimeoutsOnPath;
}

const MOST_PIPELINES = 100;
export const MOST_USES = 500;
export const MOST_WAITING = 1_000;
const TIMEOUTS = { days: 30, atMost: 2_000, revisions: 20 };

/** Only pipelines and requests that the caller may see. Throws 404. */
export async function getEscalationPathUses(
  { db }: ServiceContext,
  principal: ProductPrincipal,
  pathKey: string,
): Promise<EscalationPathUses> {
  const { organizationId } = principal;
  const document = { tables: escalationPathTables, documentKey: pathKey };
  if (!(await findDocument(db, organizationId, document))) throw new AppError('not_found');
  const found = await listActiveUsesOfPath(db, organizationId, {
    pathKey,
    documentKeys: readablePipelines(principal),
    limit: MOST_PIPELINES + 1,
  });
  const uses = await placesOf(found.slice(0, MOST_PIPELINES), pathKey);
  const access = listAccess(principal);
  return {
    uses: uses.slice(0, MOST_USES),
    truncated: found.length > MOST_PIPELINES || uses.length > MOST_USES,
    waitingCount: await countWaitingOnPath(db, organizationId, {
      ...{ pathKey, access, atMost: MOST_WAITING },
    }),
    timeouts: await timeoutsOnPath(db, organizationId, {
      ...{ pathKey, access, ...TIMEOUTS },
    }),
  };
}

/** Undefined: all of them. */
function readablePipelines(principal: ProductPrincipal): readonly PipelineKey[] | undefined {
  const scope = scopeOf(principal, 'pipeline.read');
  if (scope?.all === true) return undefined;
  return scope?.agentSlugs.map((slug): PipelineKey => `agent:${slug}`) ?? [];
}

/** In the order of the pipelines and of their blocks. */
export async function placesOf(
  pipelines: readonly PathUse[],
  pathKey: string,
): Promise<readonly EscalationPathUse[]> {
  const places: EscalationPathUse[] = [];
  for (const pipeline of pipelines) places.push(...(await usesOf(pipeline, pathKey)));
  return places;
}

async function usesOf(
  { pipelineId, documentKey, revision, document }: PathUse,
  pathKey: string,
): Promise<readonly EscalationPathUse[]> {
  const use = { pipelineId, ...pipelineOwner(documentKey), revision };
  const { blocks, default_escalation_path: fallback } = await storedPipeline(document);
  const named = placedBlocks(blocks)
    .filter(({ block }) => block.config.escalation_path === pathKey)
    .map(({ block }) => ({ ...use, blockKey: block.id, blockName: block.name }));
  return fallback === pathKey ? [...named, use] : named;
}
