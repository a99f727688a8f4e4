/** Who is notified by a step, and what the timeline says about it. */
import { requestEvent } from '../../audit/events.ts';
import { placeData, walkEventData, walkEventName } from '../../escalation/event-names.ts';
import { ADDED_STEP, levelKey, stepKey, type StepPlace } from '../../escalation/step-keys.ts';
import type { WalkEvent } from '../../escalation/walk.ts';
import {
  recorded,
  routingOf,
  type Effects,
  type NewNotification,
  type StepVisit,
} from './effects.ts';
import { unreachedReasons, type UnreachedReason } from './unreached.ts';
import type { PathRevision } from './view.ts';

/**
 * A step notifies these members, each once. Where several steps inside one level notify a member at one instant, only the
 * first sends messages, and only the first that notifies anyone is announced.
 */
export function notified(
  effects: Effects,
  { membershipIds, ...visit }: StepVisit & { readonly membershipIds: readonly string[] },
): { readonly effects: Effects; readonly sentTo: readonly string[] } {
  const { view, notifications } = effects;
  const known = [
    ...(view.routing?.notified ?? []),
    ...notifications.map((each) => ({ ...each, at: view.now })),
  ];
  const here = new Set(
    known.flatMap((each) => (each.stepKey === visit.stepKey ? [each.membershipId] : [])),
  );
  const beside = new Set(
    known.flatMap((each) =>
      each.stepKey !== visit.stepKey &&
      levelKey(each.stepKey) === levelKey(visit.stepKey) &&
      each.at.getTime() === view.now.getTime()
        ? [each.membershipId]
        : [],
    ),
  );
  const isAnnounced = beside.size === 0 && (here.size === 0 || visit.stepKey === ADDED_STEP);
  const sentTo = membershipIds.filter((id) => !here.has(id) && !beside.has(id));
  const added = membershipIds.flatMap((membershipId): NewNotification[] =>
    here.has(membershipId)
      ? []
      : [
          {
            stepKey: visit.stepKey,
            membershipId,
            isSent: !beside.has(membershipId),
            isAnnounced: isAnnounced && membershipId === sentTo[0],
          },
        ],
  );
  const steps = [...effects.steps.filter(({ stepKey: key }) => key !== visit.stepKey), visit];
  return { effects: { ...effects, steps, notifications: [...notifications, ...added] }, sentTo };
}

/** Further messages to people who were asked before. Only one message announces what happens at one instant. */
export function notifiedTogether(
  effects: Effects,
  {
    stepKey: key,
    membershipIds,
  }: { readonly stepKey: string; readonly membershipIds: readonly string[] },
): Effects {
  const { notifications } = effects;
  const isAnnounced = !notifications.some((each) => each.isAnnounced);
  const added = membershipIds.map((membershipId, index): NewNotification => ({
    ...{ stepKey: key, membershipId, isSent: true },
    isAnnounced: isAnnounced && index === 0,
  }));
  return {
    ...effects,
    steps: [...effects.steps, { stepKey: key, run: 1, kind: 'notified' }],
    notifications: [...notifications, ...added],
  };
}

/** An event of the walk: its step, the people it notifies, and its entries in the timeline. */
export function withWalkEvent(
  effects: Effects,
  { event, path }: { readonly event: WalkEvent; readonly path: PathRevision },
): Effects {
  const { request, view } = effects;
  // The next event shows the branch. Only a preview explains it.
  if (event.kind === 'branch_taken') return effects;
  const name = walkEventName(event);
  const entry = (data: Readonly<Record<string, unknown>> = {}) =>
    requestEvent(request.id, name, {
      path_key: path.pathKey,
      ...walkEventData(event, request.deadlineAt),
      ...data,
    });
  const visit = {
    stepKey: stepKey(event),
    run: event.run,
    nodeId: event.nodeId,
    ...(event.team && { teamId: event.team.teamId }),
  };
  switch (event.kind) {
    case 'level_notified': {
      const { escalateAt, membershipIds } = event;
      const next = notified(effects, { ...visit, kind: 'notified', escalateAt, membershipIds });
      return recorded(next.effects, ...next.sentTo.map((id) => entry(personOf(effects, id))));
    }
    case 'level_skipped': {
      // The people notified there can still decide: only the wait is over.
      const step: StepVisit =
        event.reason === 'nobody_left'
          ? { ...visit, kind: 'notified', escalateAt: view.now }
          : { ...visit, kind: 'skipped' };
      const left = notified(effects, { ...step, membershipIds: [] }).effects;
      const reasons = unreachedReasons(effects, { step: event, path });
      if (event.reason === 'nobody_to_ask' || reasons.length === 0) return recorded(left, entry());
      return recorded(left, unreachedEvent(effects, { event, path, reasons }));
    }
    case 'deferred':
    case 'condition_failed':
    case 'urgency_raised':
    case 'path_repeated':
    case 'path_exhausted':
      return recorded(effects, entry());
  }
}

/** The walk continues at once, because no message reached those who may decide. */
function unreachedEvent(
  effects: Effects,
  {
    event,
    path,
    reasons,
  }: {
    readonly event: StepPlace;
    readonly path: PathRevision;
    readonly reasons: readonly UnreachedReason[];
  },
) {
  return requestEvent(effects.request.id, 'level_unreached', {
    path_key: path.pathKey,
    ...placeData(event),
    reasons: reasons.map(({ membershipId, channel, cause }) => ({
      ...personOf(effects, membershipId),
      channel,
      cause,
    })),
  });
}

export function personOf(effects: Effects, membershipId: string) {
  const { deciders } = routingOf(effects).people;
  const decider = deciders.find((each) => each.membershipId === membershipId);
  return { membership_id: membershipId, display_name: decider?.displayName };
}
