/** Requests as lists show them: a line of their arguments, where their walk is, and what the reader can do. */
import {
  listSummaries as readSummaries,
  type SummaryEntry,
} from '../../../data/requests/queue/summaries.ts';
import { findCallMarks } from '../../../data/requests/queue/call-marks.ts';
import { findBuiltIn } from '../../../domain/agents/built-in-presentations/catalog.ts';
import type { OwnPresentation } from '../../../domain/agents/tool-presentations.ts';
import { routingState, type RoutingStateWord } from '../../../domain/escalation/routing-view.ts';
import type { ProductPrincipal } from '../../../domain/people/authorization.ts';
import { NO_MARKS, type CallMarks } from '../../../domain/requests/call-marks.ts';
import type { RequestFacts } from '../../../domain/requests/approval-requests.ts';
import { excerptOf } from '../../../domain/requests/excerpt.ts';
import { abilitiesOf, type RequestAbilities } from '../../../domain/requests/request-access.ts';
import { mapYielding } from '../../../platform/event-loop.ts';
import type { ServiceContext } from '../../context.ts';
import { actorIdOf } from '../../../domain/audit/events.ts';
import {
  loadEscalationPathRevision,
  type LoadedEscalationPath,
} from '../../escalation/escalation-paths.ts';
import { presentationsById, readerOf, type RequestFilter, type RequestPosition } from '../queue.ts';
import { stageOf } from '../routing-view.ts';

export interface RequestSummary {
  readonly facts: RequestFacts;
  readonly argumentsBytes: number;
  readonly title?: string;
  readonly excerpt: string;
  readonly notifiedAt: Date | null;
  readonly routing: {
    readonly state: RoutingStateWord;
    readonly pathName?: string;
    readonly nextAt?: Date;
  };
  readonly abilities: RequestAbilities;
  readonly marks: CallMarks;
}

export async function listSummaries(
  context: ServiceContext,
  principal: ProductPrincipal,
  filter: RequestFilter,
): Promise<{
  readonly summaries: readonly RequestSummary[];
  readonly next: RequestPosition | undefined;
}> {
  const { entries, next } = await readSummaries(context.db, principal.organizationId, {
    ...filter,
    ...readerOf(principal, filter.scope),
  });
  return { summaries: await summariesOf(context, principal, entries), next };
}

export async function summariesOf(
  context: ServiceContext,
  principal: ProductPrincipal,
  entries: readonly SummaryEntry[],
): Promise<RequestSummary[]> {
  const presentationIds = entries.flatMap(({ presentationId }) => presentationId ?? []);
  const [own, marks] = await Promise.all([
    presentationsById(context, principal, [...new Set(presentationIds)]),
    findCallMarks(
      context.db,
      entries.map(({ facts }) => facts.id),
    ),
  ]);
  const paths = new Map<string, LoadedEscalationPath>();
  for (const { facts } of entries) {
    const id = facts.route?.pathRevisionId;
    if (id !== undefined && !paths.has(id))
      paths.set(id, await loadEscalationPathRevision(context.db, id));
  }
  return await mapYielding(entries, (entry) => {
    const { presentationId, facts } = entry;
    return summaryOf(entry, {
      principal,
      path: facts.route?.pathRevisionId ? paths.get(facts.route.pathRevisionId) : undefined,
      own: presentationId === null ? undefined : own.get(presentationId),
      marks: marks.get(facts.id) ?? NO_MARKS,
    });
  });
}

interface SummaryFacts {
  readonly principal: ProductPrincipal;
  readonly path: LoadedEscalationPath | undefined;
  readonly own: OwnPresentation | undefined;
  readonly marks: CallMarks;
}

function summaryOf(
  { facts, argumentsBytes, excerptSource, notifiedAt, hiddenNames, ...entry }: SummaryEntry,
  { principal, path, own, marks }: SummaryFacts,
): RequestSummary {
  const claimed = facts.claim !== undefined && !facts.claim.lapsed;
  const phase = path && (entry.phase ?? 'enter');
  const state = routingState({ request: stageOf(facts), phase, claimed });
  const isWaiting = state === 'waiting' || state === 'deferred';
  const { title, text } = excerptOf(excerptSource, {
    presentation: own ?? findBuiltIn(facts.tool, facts.server),
    hiddenNames,
  });
  return {
    facts,
    argumentsBytes,
    ...(title !== undefined && { title }),
    excerpt: text,
    notifiedAt,
    marks,
    routing: {
      state,
      ...(path && { pathName: path.name }),
      ...(isWaiting && facts.nextAt && { nextAt: facts.nextAt }),
    },
    abilities: abilitiesOf({
      principal,
      // Its expiry is only not recorded yet.
      request: entry.pastDeadline ? { ...facts, state: 'expired' } : facts,
      audience: { targets: path?.targets, added: entry.isAdded ? [actorIdOf(principal)] : [] },
    }),
  };
}
