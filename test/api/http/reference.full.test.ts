/**
 * The API reference at /api/docs: a page with files of this service only, under a strict policy.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { appForFile } from '../../support/scene.ts';

const app = await appForFile();

const get = async (path: string) => {
  const response = await fetch(new URL(path, app.url));
  return { status: response.status, headers: response.headers, text: await response.text() };
};

function directivesOf(headers: Headers): Map<string, string[]> {
  const policy = headers.get('content-security-policy') ?? '';
  return new Map(
    policy.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources];
    }),
  );
}

/** What the page loads, as the browser resolves it. */
const loadedBy = (html: string): URL[] =>
  [...html.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(
    ([, address = '']) => new URL(address, `${app.url}/api/docs`),
  );

test('the page allows only scripts of this service, and styles with the nonce of its answer', async () => {
  const [first, second] = [await get('/api/docs'), await get('/api/docs')];
  expect([
    first.status,
    first.headers.get('content-type'),
    first.headers.get('cache-control'),
  ]).toEqual([200, 'text/html; charset=utf-8', 'no-store']);
  const directives = directivesOf(first.headers);
  expect(directives.get('default-src')).toEqual(["'none'"]);
  expect(directives.get('script-src')).toEqual(["'self'"]);
  expect(directives.get('connect-src')).toEqual(["'self'"]);
  expect([...directives.values()].flat().join(' ')).not.toMatch(/unsafe|https?:|\*/);
  const nonces = [first, second].map(({ headers, text }) => {
    const [, nonce = ''] =
      /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '') ?? [];
    expect(text).toContain(`nonce="${nonce}"`);
    return nonce;
  });
  expect(new Set(nonces).size).toBe(2);
});

test('the page leads back to the web app, also below a path of a proxy', async () => {
  const { text } = await get('/api/docs');
  expect(text).toContain('<a href="../">Back to Countersign</a>');
});

test('the page loads only files of this service, which browsers keep forever', async () => {
  const { text } = await get('/api/docs');
  const loaded = loadedBy(text);
  expect(new Set(loaded.map(({ origin }) => origin))).toEqual(new Set([new URL(app.url).origin]));
  const files = loaded.filter(({ pathname }) => pathname.startsWith('/api/docs/'));
  expect(files.map(({ pathname }) => pathname.replace(/\.[0-9a-f]{16}\./, '.')).sort()).toEqual([
    '/api/docs/redoc.js',
    '/api/docs/start.js',
    '/api/docs/style.css',
  ]);
  for (const { href, pathname } of files) {
    const { status, headers } = await get(href);
    expect([pathname, status, headers.get('cache-control')]).toEqual([
      pathname,
      200,
      'public, max-age=31536000, immutable',
    ]);
    expect(headers.get('content-type')).toMatch(
      pathname.endsWith('.css') ? /^text\/css/ : /javascript/,
    );
    expect(headers.get('content-security-policy')).toBe("default-src 'none'");
  }
});

test('the script is the one of the package, and loads the description of this service', async () => {
  const { text } = await get('/api/docs');
  const [redoc, start] = loadedBy(text)
    .filter(({ pathname }) => pathname.endsWith('.js'))
    .map(({ href }) => href);
  const packaged = join(packageRoot(), 'node_modules/redoc/bundles/redoc.standalone.js');
  expect((await get(redoc ?? '')).text === readFileSync(packaged, 'utf8')).toBe(true);
  const [, description = ''] =
    /Redoc\.init\(\s*'([^']+)'/.exec((await get(start ?? '')).text) ?? [];
  expect(new URL(description, `${app.url}/api/docs`).href).toBe(`${app.url}/api/openapi.yaml`);
});

test('another file answers 404 with the policy that allows nothing', async () => {
  const { status, headers } = await get('/api/docs/redoc.0000000000000000.js');
  expect([status, headers.get('content-security-policy')]).toEqual([404, "default-src 'none'"]);
});
