/** Whatever one caller sends, others do not wait for it. The bound is wide: a held event loop takes seconds. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startApp, type TestApp } from '../support/app.ts';
import {
  createAgent,
  createOrganization,
  type TestAgent,
  type TestOrganization,
} from '../support/scene/factories.ts';

const MOST_MS = 500;
const MEGABYTE = 1024 * 1024;

let app: TestApp;
let organization: TestOrganization;
let agent: TestAgent;
beforeAll(async () => {
  app = await startApp();
  organization = await createOrganization(app);
  agent = await createAgent(app, organization);
});
afterAll(async () => {
  await app.close();
});

/** The longest the event loop was held while `work` ran. */
async function heldBy(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await work();
  delay.disable();
  return delay.max / 1e6;
}

const repeated = (item: string) =>
  Array.from({ length: Math.floor((MEGABYTE - 200) / (item.length + 1)) }, () => item).join(',');
const submission = (list: string) => `{"tool":"pay","timeout":"1h","arguments":{"list":[${list}]}}`;
const ask = async (body: string, key: string = randomUUID()): Promise<number> =>
  (
    await fetch(`${app.url}/api/aap/v1/requests`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${agent.credential}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body,
    })
  ).status;

describe('the event loop is not held by', () => {
  test('a megabyte of empty objects sent to sign in', async () => {
    const send = async () => {
      await fetch(`${app.url}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `[${repeated('{}')}]`,
      }).catch(() => undefined);
    };
    expect(await heldBy(send)).toBeLessThan(MOST_MS);
  });

  test('80,000 unknown members', async () => {
    const members = Array.from({ length: 80_000 }, (_, index) => `"k${index}":1`).join(',');
    expect(await heldBy(async () => expect(await ask(`{${members}}`)).toBe(400))).toBeLessThan(
      MOST_MS,
    );
  });

  test.each([
    ['empty objects', '{}'],
    ['long numbers', '12345678.12345678901'],
    ['escapes', String.raw`"\u0041\n\u0042"`],
  ])('valid arguments of a megabyte of %s, and replays of them', async (_what, item) => {
    const body = submission(repeated(item));
    const key = randomUUID();
    const replays = async () => {
      expect(await ask(body, key)).toBe(201);
      // Equal values in another spelling: these are compared one by one.
      const replays = [body, body.replace('{"tool"', '{ "tool"'), body.replace('[', '[ ')];
      expect(await Promise.all(replays.map((each) => ask(each, key)))).toEqual([200, 200, 200]);
    };
    expect(await heldBy(replays)).toBeLessThan(MOST_MS);
  });

  test('a preview of 20 blocks with 499 conditions each', async () => {
    const blocks = Array.from({ length: 20 }, (_, block) => ({
      id: `block-${block}`,
      name: 'Large',
      type: 'cel',
      config: {
        when: {
          id: `any-${block}`,
          any: Array.from({ length: 499 }, (_one, leaf) => ({
            id: `leaf-${block}-${leaf}`,
            field: '/request/tool',
            operator: 'equals',
            value: 'never',
          })),
        },
        on_match: 'approve',
        reason: 'matched',
      },
    }));
    const sample = {
      request: { tool: 'pay', arguments: {} },
      agent: { slug: agent.slug, name: agent.slug },
    };
    const preview = async () => {
      const path = `/api/v1/request-approval-pipelines/agents/${agent.slug}/preview`;
      const answer = await organization.owner.http.post(path, { blocks, sample });
      expect(answer).toMatchObject({ status: 200, body: { reason_code: 'end_of_pipeline' } });
    };
    expect(await heldBy(preview)).toBeLessThan(MOST_MS);
  });
});
