/** The largest schedules and calls hold other callers less than 50 ms. */
import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { scene } from '../support/scene.ts';
import { createAgent } from '../support/scene/factories.ts';
import { heldBy } from '../support/held-by.ts';

const MOST_MS = 50;

const { app, organization } = await scene();
const agent = await createAgent(app, organization);
/** The least of some runs: compiling, collecting garbage and a busy machine come and go, and only add to it. */
async function leastHeldBy(work: () => Promise<void>): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < 12 && least >= MOST_MS; run++)
    least = Math.min(least, await heldBy(work));
  return least;
}

const list = <T>(length: number, one: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => one(index));
const nodeId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const zones = Intl.supportedValuesOf('timeZone');
const hours = (intervals: number) =>
  list(50, (index) => ({
    id: `hours-${index}`,
    name: 'Hours',
    timezone: zones[index * 3],
    intervals: list(intervals, (minute) => ({
      weekdays: ['mon', 'wed'],
      start: `09:${minute + 10}`,
      end: '17:00',
    })),
  }));
const level = (index: number) => ({
  id: nodeId(index),
  type: 'level',
  targets: [{ type: 'broadcast' }],
  escalate_after: '1m',
});
const branch = (index: number) => ({
  id: nodeId(index),
  type: 'if_else',
  conditions: list(10, (condition) => ({
    type: 'working_hours',
    working_hours_id: `hours-${(index + condition) % 50}`,
    active: false,
  })),
  then: [],
  else: [],
});

describe('others wait less than 50 ms for', () => {
  test.each([
    ['500 levels', { nodes: list(500, level) }],
    [
      '500 levels, in the local times of 50 zones',
      { nodes: list(500, level), working_hours: hours(1) },
    ],
    [
      '5,000 conditions about working hours',
      { nodes: list(500, branch), working_hours: hours(50) },
    ],
  ])('a preview of a schedule with %s', async (_what, document) => {
    const preview = async () => {
      const { body } = await organization.owner.http.post('/api/v1/escalation-paths/preview', {
        document: { name: 'Long', ...document },
        timeout: '168h',
      });
      expect(body['steps']).toHaveLength(500);
    };
    expect(await leastHeldBy(preview)).toBeLessThan(MOST_MS);
  });

  test('a call with 340,000 objects as its arguments', async () => {
    const objects = list(340_000, () => '{}').join(',');
    const create = async () => {
      const { status } = await fetch(`${app.url}/api/aap/v1/requests`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${agent.credential}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
        },
        body: `{"tool":"pay","timeout":"1h","arguments":{"list":[${objects}]}}`,
      });
      expect(status).toBe(201);
    };
    expect(await leastHeldBy(create)).toBeLessThan(MOST_MS);
  });
});
