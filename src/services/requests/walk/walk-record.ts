/** Records what a walk did: its steps, the people they notified, and the timeline. */
import type { Decider } from '../../../domain/requests/deciders.ts';
import { insertStep, type EscalationStep } from '../../../data/requests/escalate.ts';
import type { LevelWrites } from '../../../data/requests/levels.ts';
import { endStep } from '../../../data/requests/unreachable.ts';
import { insertAuditEvents } from '../../../data/audit-events.ts';
import type { ApprovalRequest } from '../../../domain/requests/approval-requests.ts';
import { requestEvent, type NewAuditEvent } from '../../../domain/audit.ts';
import { walkEventData, walkEventName } from '../../../domain/escalation/event-names.ts';
import { stepKey, PATHLESS_STEP } from '../../../domain/escalation/step-keys.ts';
import type { WalkEvent } from '../../../domain/escalation/walk.ts';
import type { Trx } from '../../../platform/postgres.ts';
import type { Runtime } from '../../context.ts';
import type { LoadedEscalationPath } from '../../escalation/escalation-paths.ts';

export interface Recorded {
  readonly request: ApprovalRequest;
  readonly now: Date;
  /** For the names of the people notified. */
  readonly deciders: readonly Decider[];
}

type OnPath = Recorded & { readonly path: LoadedEscalationPath };

/**
 * Records a step and notifies its people, by email only where this deployment sends email. Answers
 * the members that this step notified.
 */
export async function recordStep(
  trx: Trx,
  { mailer }: Runtime,
  step: Omit<EscalationStep, 'byEmail'>,
): Promise<string[]> {
  return await insertStep(trx, { ...step, byEmail: mailer !== undefined });
}

export async function recordWalk(
  trx: Trx,
  runtime: Runtime,
  { events, ...walk }: OnPath & { readonly events: readonly WalkEvent[] },
): Promise<void> {
  const entries: NewAuditEvent[] = [];
  for (const event of events) entries.push(...(await recordEvent(trx, runtime, { walk, event })));
  await insertAuditEvents(trx, walk.request.organizationId, {
    events: entries,
    occurredAt: walk.now,
  });
}

/** Records the event, and returns its timeline entries. */
async function recordEvent(
  trx: Trx,
  runtime: Runtime,
  { walk, event }: { readonly walk: OnPath; readonly event: WalkEvent },
): Promise<readonly NewAuditEvent[]> {
  const entry = (data?: Readonly<Record<string, unknown>>) => [entryOf(walk, event, data)];
  switch (event.kind) {
    case 'level_notified': {
      const notified = await recordStep(trx, runtime, {
        ...stepOf(walk, event),
        kind: 'notified',
        escalateAt: event.escalateAt,
        membershipIds: event.membershipIds,
      });
      return notified.flatMap((id) => entry(person(walk.deciders, id)));
    }
    case 'level_skipped':
      // The notified people can still decide: only the wait is over.
      if (event.reason === 'nobody_left')
        await endStep(trx, walk.request.id, { stepKey: stepKey(event), at: walk.now });
      else
        await recordStep(trx, runtime, {
          ...stepOf(walk, event),
          kind: 'skipped',
          membershipIds: [],
        });
      return entry();
    case 'branch_taken':
      // The next event shows the branch. Only a preview explains it.
      return [];
    case 'deferred':
    case 'condition_failed':
    case 'urgency_raised':
    case 'path_repeated':
    case 'path_exhausted':
      return entry();
  }
}

/** The timeline's entry for an event of the walk. */
function entryOf(
  { request, path }: OnPath,
  event: WalkEvent,
  data: Readonly<Record<string, unknown>> = {},
): NewAuditEvent {
  const common = { path_key: path.pathKey, ...walkEventData(event, request.deadlineAt) };
  return requestEvent(request.id, walkEventName(event), { ...common, ...data });
}

/**
 * What `recordWalk` would write, if that is plain: at most one level, outside of team policies, and
 * nothing skipped. The level is new to the request. Otherwise undefined.
 */
export function plainWrites(
  events: readonly WalkEvent[],
  walk: OnPath,
): Omit<LevelWrites, 'requestId'> | undefined {
  const entries: NewAuditEvent[] = [];
  for (const event of events) {
    const plain = plainEntries(event, walk);
    if (!plain) return undefined;
    entries.push(...plain);
  }
  const [level, second] = events.filter((event) => event.kind === 'level_notified');
  if (second) return undefined;
  return { ...(level && { level: { ...level, stepKey: stepKey(level) } }), events: entries };
}

/** The timeline entries that `recordEvent` would return. Undefined when the event is not plain. */
function plainEntries(event: WalkEvent, walk: OnPath): readonly NewAuditEvent[] | undefined {
  if (event.team) return undefined;
  switch (event.kind) {
    case 'level_notified':
      return event.membershipIds.map((id) => entryOf(walk, event, person(walk.deciders, id)));
    case 'level_skipped':
      return undefined;
    case 'branch_taken':
      return [];
    case 'deferred':
    case 'condition_failed':
    case 'urgency_raised':
    case 'path_repeated':
    case 'path_exhausted':
      return [entryOf(walk, event)];
  }
}

/** What `recordPathless` would write in the first step of a request. */
export function pathlessWrites({ request, deciders }: Recorded): Omit<LevelWrites, 'requestId'> {
  const membershipIds = deciders.map(({ membershipId }) => membershipId);
  return {
    level: { stepKey: PATHLESS_STEP, run: 1, membershipIds },
    events: membershipIds.map((id) => pathlessEntry(request, deciders, id)),
  };
}

function stepOf({ request, now }: Recorded, event: WalkEvent) {
  return {
    requestId: request.id,
    organizationId: request.organizationId,
    stepKey: stepKey(event),
    run: event.run,
    nodeId: event.nodeId,
    ...(event.team && { teamId: event.team.teamId }),
    at: now,
  };
}

/**
 * Notifies everyone who may decide a request without a path. True when that is new to some of them.
 */
export async function recordPathless(
  trx: Trx,
  runtime: Runtime,
  { request, now, deciders }: Recorded,
): Promise<boolean> {
  const notified = await recordStep(trx, runtime, {
    requestId: request.id,
    organizationId: request.organizationId,
    stepKey: PATHLESS_STEP,
    run: 1,
    kind: 'notified',
    at: now,
    membershipIds: deciders.map((decider) => decider.membershipId),
  });
  const events = notified.map((id) => pathlessEntry(request, deciders, id));
  await insertAuditEvents(trx, request.organizationId, { events, occurredAt: now });
  return notified.length > 0;
}

function pathlessEntry(
  { id }: ApprovalRequest,
  deciders: readonly Decider[],
  membershipId: string,
): NewAuditEvent {
  return requestEvent(id, 'level_notified', person(deciders, membershipId));
}

function person(deciders: readonly Decider[], membershipId: string) {
  return {
    membership_id: membershipId,
    display_name: deciders.find((decider) => decider.membershipId === membershipId)?.displayName,
  };
}
