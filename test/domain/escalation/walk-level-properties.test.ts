/** Guarantees of every walk along levels, however late its steps come. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stepKey } from '../../../src/domain/escalation/step-keys.ts';
import { totalRuns } from '../../../src/domain/escalation/walk.ts';
import {
  MINUTE,
  start,
  ms,
  level,
  type LevelsOnly,
  path,
  type Resolver,
  allThere,
  walk,
} from './walk-scene.ts';

describe('on every path of levels', () => {
  const wait = fc.oneof(
    fc.integer({ min: 1, max: 120 }).map((n) => `${n}m`),
    fc.integer({ min: 60, max: 600 }).map((n) => `${n}s`),
    fc.constantFrom('168h', '1h'),
  );
  const nodes = fc
    .array(wait, { maxLength: 6 })
    .map((waits) => waits.map((each, index) => level(`n${index}`, each)));
  const repeat = fc.option(fc.record({ times: fc.integer({ min: 1, max: 9 }), after: wait }), {
    nil: undefined,
  });
  const document = fc
    .tuple(nodes, repeat)
    .map(([levels, again]): LevelsOnly => path(levels, again));
  const delays = fc.array(
    fc.oneof(
      fc.constant(0),
      fc.integer({ min: 1, max: 5_000 }),
      fc.integer({ min: 1, max: 30 * 24 * 60 * MINUTE }),
    ),
    { maxLength: 10 },
  );
  const presence = fc.array(fc.boolean(), { maxLength: 20 });
  const sometimes =
    (there: readonly boolean[]): Resolver =>
    (targets, attempt) =>
      (there[attempt % (there.length || 1)] ?? true) ? allThere(targets, attempt) : [];
  const runs = { numRuns: 100 };

  test('the walk ends in a bounded number of calls, with every level of every run notified or skipped once, in order', () => {
    fc.assert(
      fc.property(document, delays, presence, (doc, late, there) => {
        const { events, calls, end } = walk(doc, { resolve: sometimes(there), delays: late });
        const reached = events.filter(
          (event) => event.kind === 'level_notified' || event.kind === 'level_skipped',
        );
        const keys = reached.map(stepKey);
        const all = Array.from({ length: totalRuns(doc) }, (_, run) =>
          doc.nodes.map((node) => stepKey({ nodeId: node.id, run: run + 1 })),
        ).flat();
        expect(keys).toEqual(all);
        expect(new Set(keys).size).toBe(keys.length);
        expect(calls).toBeLessThanOrEqual(totalRuns(doc) * (doc.nodes.length + 2) + 1);
        expect(end.place).toMatchObject({ phase: 'exhausted', run: totalRuns(doc) });
        expect(events.filter((event) => event.kind === 'path_exhausted')).toEqual(events.slice(-1));
      }),
      runs,
    );
  });

  test('each run notifies each level when someone is always there', () => {
    fc.assert(
      fc.property(document, delays, (doc, late) => {
        const notified = walk(doc, { delays: late }).events.filter(
          (event) => event.kind === 'level_notified',
        );
        expect(notified).toHaveLength((1 + (doc.repeat?.times ?? 0)) * doc.nodes.length);
      }),
      runs,
    );
  });

  test('no step comes before the previous wait is over, however late the calls are', () => {
    fc.assert(
      fc.property(document, delays, presence, (doc, late, there) => {
        const { events } = walk(doc, { resolve: sometimes(there), delays: late });
        let earliest = start.getTime();
        for (const event of events) {
          if (event.kind === 'path_repeated') earliest += ms(doc.repeat?.after ?? '');
          if (event.at.getTime() < earliest) throw new Error(`${event.kind} came too early`);
          if (event.kind === 'level_notified') {
            const node = doc.nodes.find(({ id }) => id === event.nodeId);
            if (event.escalateAt.getTime() - event.at.getTime() !== ms(node?.escalate_after ?? ''))
              throw new Error(`${event.nodeId} waits for another time than its level says`);
            earliest = event.escalateAt.getTime();
          } else if (event.kind === 'level_skipped') {
            earliest = event.at.getTime();
          }
        }
      }),
      runs,
    );
  });
});
