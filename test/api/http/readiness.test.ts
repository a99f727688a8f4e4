/** What a load balancer asks. */
import { expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';

// It has no Temporal server.
const app = await appForFile();

test('without Temporal the service is not ready, but for those who leave Temporal out', async () => {
  const all = await app.http.get('/health/ready');
  expect([all.status, all.headers['retry-after']]).toEqual([503, '2']);
  expect(all.body['checks']).toMatchObject({
    database: { status: 'ok' },
    migrations: { status: 'ok' },
    temporal: { status: 'unavailable' },
  });
  const without = await app.http.get('/health/ready?exclude=temporal');
  expect([without.status, without.body]).toEqual([
    200,
    {
      status: 'ok',
      checks: { database: { status: 'ok' }, migrations: { status: 'ok' }, audit: { status: 'ok' } },
    },
  ]);
  const { body } = await app.http.get('/health/ready?exclude=temporal&exclude=migrations');
  expect(body['checks']).toEqual({ database: { status: 'ok' }, audit: { status: 'ok' } });
});

test('a part that does not exist is refused, so that a misspelled probe is noticed', async () => {
  for (const name of ['temporals', 'constructor', '']) {
    const { status, body } = await app.http.get(`/health/ready?exclude=temporal&exclude=${name}`);
    expect(status).toBe(400);
    expect(body['error']?.['details']?.['issues']).toEqual([
      {
        pointer: '/query/exclude',
        code: 'invalid_value',
        message: 'must be one of database, migrations, temporal, audit',
      },
    ]);
  }
});
