/** When each level of a path would fire if nobody answered. Nothing is written. */
import { findNames } from '../../data/escalation/escalation-path-previews.ts';
import { readClock } from '../../data/clock.ts';
import { findTeamRosters } from '../../data/escalation/team-escalation-policies.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import type { ConditionFacts } from '../../domain/conditions/types.ts';
import { AppError, invalid, type Issue } from '../../domain/errors.ts';
import { parseEscalationPathDocument } from '../../domain/escalation/parse.ts';
import {
  localTimes,
  previewWalk,
  type LocalTime,
  type PlannedStep,
} from '../../domain/escalation/preview.ts';
import {
  pathTargets,
  type EscalationPathDocument,
  type Target,
  type TeamPolicyDocument,
  type Urgency,
} from '../../domain/escalation/types.ts';
import { startWalk } from '../../domain/escalation/walk.ts';
import type { ExactValue } from '../../platform/exact-json.ts';
import type { ServiceContext } from '../context.ts';
import { walkInput } from '../requests/walk/walk-input.ts';
import { escalationPathKind } from './escalation-paths.ts';
import { getRevision } from '../revisions.ts';

const MAX_STEPS = 500;

/** Instants the calendar of every time zone can be asked about. */
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(3000, 0, 1);

export interface PreviewRequest {
  /** What is walked: a document that was never saved, or a revision. */
  readonly path:
    { readonly document: ExactValue } | { readonly pathKey: string; readonly revision: number };
  /** The database's clock when absent. */
  readonly startsAt?: Date;
  readonly urgency: Urgency;
  /** Without it no condition about the request holds. */
  readonly facts?: ConditionFacts;
}

export interface NamedTarget {
  readonly type: Target['type'];
  readonly id?: string;
  readonly name?: string;
}

export type PreviewedStep = Omit<PlannedStep, 'targets'> & {
  readonly targets: readonly NamedTarget[];
  readonly teamName?: string;
  readonly localTimes: readonly LocalTime[];
};

export interface PathPreview {
  readonly startsAt: Date;
  readonly steps: readonly PreviewedStep[];
  readonly truncated: boolean;
}

/** Throws 400 for an invalid document, and 404 for a revision that does not exist. */
export async function previewEscalationPath(
  context: ServiceContext,
  principal: ProductPrincipal,
  { path, startsAt: given, urgency, facts }: PreviewRequest,
): Promise<PathPreview> {
  if (given && (given.getTime() < EARLIEST || given.getTime() >= LATEST)) {
    throw invalid([
      {
        pointer: '/starts_at',
        code: 'invalid_value',
        message: 'must be in the years from 1970 to 2999',
      },
    ]);
  }
  const { db } = context;
  const { organizationId } = principal;
  const document = await documentOf(context, principal, path);
  const startsAt = given ?? (await readClock(db));
  const rosters = await findTeamRosters(db, organizationId, idsOf(pathTargets(document), 'team'));
  const state = startWalk(document);
  const { input, learn } = await walkInput(db, {
    document,
    state,
    facts: facts ?? NO_FACTS,
    urgency,
  });
  const policies = new Map(
    [...rosters].flatMap(([teamId, { policyRevisionId: id }]) =>
      id === undefined ? [] : [[teamId, id] as const],
    ),
  );
  for (const revisionId of policies.values()) await learn(revisionId);
  const walk = { ...input, ...(!facts && { matches: () => false }) };
  const { steps, truncated } = previewWalk(walk, {
    from: state,
    now: startsAt,
    policies,
    limit: MAX_STEPS,
  });
  const inside = new Map(
    [...policies].map(([teamId, revisionId]) => [teamId, input.policy(revisionId)]),
  );
  const names = await namesOf(context, organizationId, [document, ...inside.values()]);
  return {
    startsAt,
    truncated,
    steps: steps.map((step) => named(step, { document, inside, names })),
  };
}

const NO_FACTS: ConditionFacts = {
  request: { tool: '', arguments: {} },
  agent: { slug: '', name: '' },
  previous_metadata: { organization: {}, agent: {} },
};

async function documentOf(
  context: ServiceContext,
  principal: ProductPrincipal,
  path: PreviewRequest['path'],
): Promise<EscalationPathDocument> {
  if ('pathKey' in path) {
    const of = { kind: escalationPathKind, documentKey: path.pathKey, revision: path.revision };
    return (await getRevision(context, principal, of)).revision.document;
  }
  const parsed = parseEscalationPathDocument(path.document);
  if (!parsed.ok) throw invalid(underDocument(parsed.issues));
  const { document } = parsed;
  try {
    await escalationPathKind.checkReferences(context.db, principal.organizationId, {
      documentKey: '',
      document,
    });
  } catch (error) {
    if (error instanceof AppError && Array.isArray(error.details?.['issues']))
      throw invalid(underDocument(error.details['issues'] as Issue[]));
    throw error;
  }
  return document;
}

/** Pointers into the document become pointers into the body. */
function underDocument(issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, pointer: `/document${issue.pointer}` }));
}

function idsOf(targets: readonly Target[], type: 'user' | 'team'): string[] {
  return targets.flatMap((target) => (target.type === type ? [target.id] : []));
}

async function namesOf(
  { db }: ServiceContext,
  organizationId: string,
  documents: readonly TeamPolicyDocument[],
): Promise<ReadonlyMap<string, string>> {
  const targets = documents.flatMap((document) => pathTargets(document));
  return await findNames(db, organizationId, {
    membershipIds: idsOf(targets, 'user'),
    teamIds: idsOf(targets, 'team'),
  });
}

interface Around {
  readonly document: EscalationPathDocument;
  /** Policies by team id. */
  readonly inside: ReadonlyMap<string, TeamPolicyDocument>;
  readonly names: ReadonlyMap<string, string>;
}

function named(
  { targets, ...step }: PlannedStep,
  { document, inside, names }: Around,
): PreviewedStep {
  const name = (id: string) => names.get(id);
  const policy = step.team && inside.get(step.team.teamId);
  const sets = [...document.working_hours, ...(policy?.working_hours ?? [])];
  const teamName = step.team && name(step.team.teamId);
  return {
    ...step,
    ...(teamName !== undefined && { teamName }),
    targets: targets.map((target) => {
      if (target.type === 'broadcast') return { type: target.type };
      const known = name(target.id);
      return { type: target.type, id: target.id, ...(known !== undefined && { name: known }) };
    }),
    localTimes: localTimes({ working_hours: sets, nodes: [] }, step.at),
  };
}
