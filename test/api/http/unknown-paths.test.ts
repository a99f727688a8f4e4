import { expect, test } from '@jest/globals';
import { WEB_PAGES } from '../../../src/domain/web-pages.ts';
import { appForFile } from '../../support/scene.ts';

const app = await appForFile();

/** What browsers send when they open an address. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const PROGRAMS = [undefined, '*/*', 'application/json', 'text/html;q=0', 'text/event-stream, */*'];

const fetchAs = async (method: 'GET' | 'HEAD', path: string, accept: string | undefined) =>
  await app.http.call(method, path, { headers: accept === undefined ? {} : { accept } });

/** Addresses of another service, or of this one with a mistake. */
const UNKNOWN = [
  '/nowhere',
  '/api2/v1/requests',
  '/countersign/api/aap/v1/requests',
  '/login/more',
  '/requests',
  '/requests/one/two',
  '/invitations',
  '/index.html',
  '/favicon.ico',
  '/sse',
  '//login',
];

/** Where programs look for a service, and no person for a page. */
const ALWAYS_JSON = [
  '/aap',
  '/aap/v1/nothing',
  '/v1/requests',
  '/mcp/nothing',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-authorization-server/mcp',
  '/oauth/userinfo',
  '/assets/nothing-12345678.js',
  '/api/nothing',
  '/auth/nothing',
  '/health/nothing',
];

test.each(UNKNOWN)(
  '%s is not there: programs get JSON, browsers a page, HEAD the same',
  async (path) => {
    for (const accept of PROGRAMS) {
      const got = await fetchAs('GET', path, accept);
      expect([accept, got.status]).toEqual([accept, 404]);
      expect(got.body['error']).toMatchObject({ code: 'not_found' });
      const head = await fetchAs('HEAD', path, accept);
      expect([head.status, head.headers['content-type']]).toEqual([
        404,
        got.headers['content-type'],
      ]);
      expect(head.text).toBe('');
    }
    for (const method of ['GET', 'HEAD'] as const) {
      const { status, headers } = await fetchAs(method, path, BROWSER);
      expect([method, status]).toEqual([method, 404]);
      expect(headers['content-type']).toMatch(/^text\/html/);
      expect(headers['vary']).toMatch(/accept/i);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
    }
  },
);

test.each(ALWAYS_JSON)('%s is JSON, also for browsers', async (path) => {
  for (const accept of [BROWSER, ...PROGRAMS])
    for (const method of ['GET', 'HEAD'] as const) {
      const { status, headers, body } = await fetchAs(method, path, accept);
      expect([accept, status]).toEqual([accept, 404]);
      expect(headers['content-type']).toMatch(/^application\/json/);
      if (method === 'GET') expect(body['error']).toMatchObject({ code: 'not_found' });
    }
});

test.each(Object.values(WEB_PAGES))('%s is a page, whatever the client accepts', async (page) => {
  const path = page.replaceAll(/\$\w+/g, '0199a3f6-4d9e-7f60-b1a2-6c7d8e9f0a1b');
  for (const address of [path, `${path.replace(/\/$/, '')}/`, `${path}?tab=all`])
    for (const accept of [BROWSER, '*/*']) {
      const { status, headers } = await fetchAs('GET', address, accept);
      expect([address, status]).toEqual([address, 200]);
      expect(headers['content-type']).toMatch(/^text\/html/);
    }
});
