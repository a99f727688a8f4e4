/** What the arguments of an agent's calls had, for those who write conditions. Threads read the calls, a batch at a time. */
import {
  mostSeen,
  nothingSeen,
  tallyCalls,
  type SeenArguments,
  type SeenField,
} from '../../domain/agents/seen-arguments.ts';
import { AppError } from '../../domain/errors.ts';
import { callerIdOf, type ProductPrincipal } from '../../domain/people/authorization.ts';
import { listAccess } from '../../domain/requests/request-access.ts';
import { findAgent } from '../../data/agents/agents.ts';
import {
  listSeenCalls,
  readArguments,
  type SeenCall,
} from '../../data/requests/queue/seen-calls.ts';
import { requirePermission } from '../access/current-callers.ts';
import { inBatches } from '../batches.ts';
import type { ServiceContext } from '../context.ts';
import { howToShowCalls } from './how-to-show.ts';

export interface SeenArgumentsOf {
  readonly slug: string;
  readonly tool: string;
  readonly server?: string | undefined;
  readonly signal: AbortSignal;
}

export interface SeenFields {
  readonly fields: readonly SeenField[];
  /** How many calls were read. */
  readonly requests: number;
  /** There are more fields. */
  readonly truncated: boolean;
}

const MOST_CALLS = 500;
const MOST_FIELDS = 200;
/** Looking for calls, and then reading them, ends after this much time. */
const EACH_MS = 1_000;
/** Requests that a statement looks at. Their documents are not read. */
const LOOK_AT = 2_000;
const BATCH = 64;

/** Throws 403 without `request.read` there, and 404 without such an agent. */
export async function readSeenArguments(
  context: ServiceContext,
  principal: ProductPrincipal,
  asked: SeenArgumentsOf,
): Promise<SeenFields> {
  await requireMaySee(context, principal, asked.slug);
  const calls = await findCalls(context, principal, asked);
  const seen = await tally(context, principal, { ...asked, calls });
  const fields = mostSeen(seen, MOST_FIELDS);
  const truncated = seen.isFull || seen.fields > fields.length;
  return { fields, requests: seen.calls, truncated };
}

/** 403 for callers who may not read the requests of the agent, 404 where there is no such agent. */
export async function requireMaySee(
  { db }: ServiceContext,
  principal: ProductPrincipal,
  slug: string,
): Promise<void> {
  requirePermission(principal, { permission: 'request.read', target: { kind: 'agent', slug } });
  if (!(await findAgent(db, principal.organizationId, slug))) throw new AppError('not_found');
}

async function findCalls(
  { db }: ServiceContext,
  principal: ProductPrincipal,
  { slug, tool, server, signal }: SeenArgumentsOf,
): Promise<readonly SeenCall[]> {
  const filter = { access: listAccess(principal), agentSlug: slug, tool, server, lookAt: LOOK_AT };
  const calls: SeenCall[] = [];
  const limits = { most: MOST_CALLS, size: MOST_CALLS, ms: EACH_MS, signal };
  await inBatches<SeenCall>(undefined, limits, async ({ after }) => {
    const page = await listSeenCalls(db, principal.organizationId, { ...filter, after });
    calls.push(...page.calls);
    return { seen: page.calls.length, next: page.last };
  });
  return calls.slice(0, MOST_CALLS);
}

async function tally(
  { db, workerPool }: ServiceContext,
  principal: ProductPrincipal,
  { tool, calls, signal }: SeenArgumentsOf & { readonly calls: readonly SeenCall[] },
): Promise<SeenArguments> {
  const tools = calls.map(({ server }) => ({ tool, server }));
  const { hows, howOf } = await howToShowCalls(db, principal.organizationId, tools);
  const servers = new Map(calls.map(({ id, server }) => [id, server]));
  let seen = nothingSeen();
  const limits = { most: MOST_CALLS, size: BATCH, ms: EACH_MS, signal };
  await inBatches<number>(undefined, limits, async ({ after: from = 0, size }) => {
    const ids = calls.slice(from, from + size).map(({ id }) => id);
    const read = ids.length > 0 ? await readArguments(db, ids) : [];
    const texts = read.map((row) => ({
      text: row.arguments,
      how: howOf({ tool, server: servers.get(row.id) ?? null }),
    }));
    const given = { seen, calls: texts, hows };
    if (read.length > 0) seen = await workerPool.run(tallyCalls, given, callerIdOf(principal));
    const last = read.at(-1);
    // Those that are gone are looked at, too.
    const looked = last ? ids.indexOf(last.id) + 1 : ids.length;
    return { seen: looked, next: from + looked < calls.length ? from + looked : undefined };
  });
  return seen;
}
