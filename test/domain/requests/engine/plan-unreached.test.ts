/** Levels whose messages failed for good. Without a database. */
import { expect, test } from '@jest/globals';
import type { NewAuditEvent } from '../../../../src/domain/audit/events.ts';
import { level, path as levels, user } from '../../escalation/walk-scene.ts';
import { at, decider, pathOf, plan, step, world, type World } from './engine-scene.ts';

const refused = [{ channel: 'email', cause: 'mailbox_refused' }] as const;
const olga = decider('olga', { isOwner: true, decidesRoutedToOthers: true });
const [ada, ben] = [decider('ada'), decider('ben')];
const onCall = pathOf(
  levels([level('one', '10m', [user('ada'), user('ben')]), level('two', '10m', [user('olga')])]),
);
const oneLevel = pathOf(levels([level('one', '10m', [user('ada')])]));

/** Every message of these people has failed for good. */
function unreached({ stored }: World, ...people: readonly string[]): void {
  stored.notified = stored.notified.map((each) =>
    people.includes(each.membershipId) ? { ...each, unreached: refused } : each,
  );
}

function asked(path = onCall): World {
  const here = world({ path, deciders: [ada, ben, olga] });
  step(here, at(0));
  return here;
}

const dataOf = (events: readonly NewAuditEvent[] = [], verb: string) =>
  events.find(({ eventType }) => eventType === `approval_request.${verb}`)?.data;

test('a level that reached none of its people is left at once, and the timeline says why', () => {
  const here = asked();
  unreached(here, 'ada', 'ben');
  const { events } = plan(here, at(1)).effects ?? {};
  expect(dataOf(events, 'level_unreached')).toEqual({
    path_key: 'on-call',
    node_id: 'one',
    run: 1,
    reasons: [
      { membership_id: 'ada', display_name: 'ada', channel: 'email', cause: 'mailbox_refused' },
      { membership_id: 'ben', display_name: 'ben', channel: 'email', cause: 'mailbox_refused' },
    ],
  });
  step(here, at(1));
  expect(here.stored.timeline.slice(-2)).toEqual(['level_unreached', 'level_notified']);
  expect(here.stored.notified.at(-1)).toMatchObject({ membershipId: 'olga', at: at(1) });
});

test('a level waits its time while one of its people was reached', () => {
  const here = asked();
  unreached(here, 'ada');
  const { version } = here.stored;
  step(here, at(1));
  expect(here.stored.version).toBe(version);
});

test('a level is unreached when those it reached may no longer decide', () => {
  const here = asked();
  unreached(here, 'ada');
  here.deciders = [ada, olga];
  step(here, at(1));
  expect(here.stored.timeline.slice(-2)).toEqual(['level_unreached', 'level_notified']);
});

test('a level whose people may not decide is skipped, whether or not messages reached them', () => {
  const here = asked();
  unreached(here, 'ada', 'ben');
  here.deciders = [olga];
  step(here, at(1));
  expect(here.stored.timeline.slice(-2)).toEqual(['level_skipped', 'level_notified']);
});

test('after the last level the owners are told, once, that no one was reached', () => {
  const here = asked(oneLevel);
  unreached(here, 'ada');
  const { events } = plan(here, at(1)).effects ?? {};
  expect(dataOf(events, 'unreachable')).toMatchObject({
    reason: 'not_reached',
    told: [{ membership_id: 'olga' }],
  });
  step(here, at(1));
  step(here, at(2));
  expect(here.stored.timeline.slice(-3)).toEqual([
    'level_unreached',
    'path_exhausted',
    'unreachable',
  ]);
});

test('a person who was reached at an earlier level can still decide, so that no one is told', () => {
  const here = asked(
    pathOf(levels([level('one', '10m', [user('ada')])], { times: 1, after: '5m' })),
  );
  step(here, at(10));
  step(here, at(15));
  here.stored.notified = here.stored.notified.map((each) =>
    each.stepKey === 'one:2' ? { ...each, unreached: refused } : each,
  );
  step(here, at(16));
  expect(here.stored.timeline.slice(-2)).toEqual(['level_unreached', 'path_exhausted']);
});

test('a request without a path tells the owners when it reached no one', () => {
  const here = world({ deciders: [ada, olga] });
  step(here, at(0));
  unreached(here, 'ada', 'olga');
  step(here, at(1));
  step(here, at(2));
  expect(here.stored.timeline.filter((verb) => verb === 'unreachable')).toHaveLength(1);
});

test('messages that fail during a claim end the level after the claim', () => {
  const here = asked();
  unreached(here, 'ada', 'ben');
  here.stored.request = {
    ...here.stored.request,
    claim: {
      ...{ id: 'claim', membershipId: 'ada', displayName: 'ada', claimedAt: at(1), lapsed: false },
      expiresAt: at(5),
    },
  };
  expect(plan(here, at(2)).effects?.events ?? []).toEqual([]);
  step(here, at(5));
  expect(here.stored.timeline.slice(-3)).toEqual([
    'claim_lapsed',
    'level_unreached',
    'level_notified',
  ]);
});
