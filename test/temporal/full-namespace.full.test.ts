/** A Temporal namespace whose attributes of type Keyword are used up, by other applications. */
import { afterAll, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES, setupTemporal } from '../../temporal/setup.ts';
import { startApp } from '../support/app.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { handleOf } from '../support/temporal.ts';
import { until } from '../support/waiting.ts';

const KEYWORD = 2;
const connection = await Connection.connect({
  address: process.env['TEST_TEMPORAL_ADDRESS'] ?? '',
});
afterAll(() => connection.close());
const { workflowService, operatorService } = connection;

/** A namespace in which others have this many attributes. */
async function namespaceWith(used: number): Promise<string> {
  const namespace = `used-${process.pid}-${used}`;
  await workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  const names = Array.from({ length: used }, (_, index) => `Other${index}`);
  const searchAttributes = Object.fromEntries(names.map((name) => [name, KEYWORD]));
  const add = () =>
    operatorService.addSearchAttributes({ namespace, searchAttributes }).then(
      () => true,
      () => false,
    );
  await until('the namespace has the attributes of others', add);
  return namespace;
}

const full = await namespaceWith(10);
const app = await startApp({ temporal: true, environment: { TEMPORAL_NAMESPACE: full } });
afterAll(() => app.close());

test('with room for some gets those, and the others once there is room', async () => {
  const namespace = await namespaceWith(7);
  const began = performance.now();
  const [, , , ...lacking] = SEARCH_ATTRIBUTES;
  expect(await setupTemporal(connection, namespace)).toEqual({ isNew: true, lacking });
  expect(await setupTemporal(connection, namespace)).toEqual({ isNew: false, lacking });
  expect(performance.now() - began).toBeLessThan(30_000);
  await operatorService.removeSearchAttributes({
    namespace,
    searchAttributes: ['Other0', 'Other1'],
  });
  expect(await setupTemporal(connection, namespace)).toEqual({ isNew: true, lacking: [] });
});

test('without any room serves requests to their end, and readiness, system page and log name what is missing', async () => {
  const { ask, people, owner, decide, routing } = await scene({
    on: app,
    app: { temporal: true },
    people: { ada: REVIEWER },
    paths: { 'on-call': [['ada']] },
  });
  const id = await ask();
  await until('a person is asked', async () => (await routing(id))['state'] === 'waiting');
  expect((await decide(people.ada, id)).status).toBe(200);
  // A task that failed for an attribute would be tried again and again, and the workflow would stay.
  expect(await handleOf(app, id).result()).toMatchObject({ status: 'approved' });

  const lacks = expect.stringMatching(
    new RegExp(
      `${full} has no room for 5 of 5 search attributes: ${SEARCH_ATTRIBUTES.join(', ')}\\.`,
    ),
  ) as unknown as string;
  const ready = await app.http.get('/health/ready');
  expect([ready.status, ready.body]).toMatchObject([
    200,
    { status: 'degraded', checks: { temporal: { status: 'degraded', message: lacks } } },
  ]);
  const { body } = await owner.http.get('/api/v1/system');
  expect(body['checks']).toContainEqual({ name: 'temporal', is_ok: true, problem: lacks });
  expect(app.log.filter((line) => line.includes('has no room for'))).toEqual([lacks]);
});
