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

test('the page allows only scripts and styles of this service', async () => {
  const { status, headers } = await get('/api/docs');
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-store',
  ]);
  const directives = directivesOf(headers);
  expect(directives.get('default-src')).toEqual(["'none'"]);
  for (const name of ['script-src', 'style-src', 'connect-src'])
    expect(directives.get(name)).toEqual(["'self'"]);
  expect([...directives.values()].flat().join(' ')).not.toMatch(/unsafe|https?:|\*/);
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
    '/api/docs/start.js',
    '/api/docs/style.css',
    '/api/docs/swagger-ui.css',
    '/api/docs/swagger-ui.js',
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

test('the files are those of the package, and load the description of this service', async () => {
  const { text } = await get('/api/docs');
  const textOf = async (type: string) =>
    await Promise.all(
      loadedBy(text)
        .filter(({ pathname }) => pathname.endsWith(type))
        .map(async ({ href }) => (await get(href)).text),
    );
  const packaged = (file: string) =>
    readFileSync(join(packageRoot(), 'node_modules/swagger-ui-dist', file), 'utf8');
  const [script, start = ''] = await textOf('.js');
  const [theme] = await textOf('.css');
  expect(script === packaged('swagger-ui-bundle.js')).toBe(true);
  expect(theme === packaged('swagger-ui.css')).toBe(true);
  const [, description = ''] = /\burl: '([^']+)'/.exec(start) ?? [];
  expect(new URL(description, `${app.url}/api/docs`).href).toBe(`${app.url}/api/openapi.yaml`);
});

test('another file answers 404 with the policy that allows nothing', async () => {
  const { status, headers } = await get('/api/docs/start.0000000000000000.js');
  expect([status, headers.get('content-security-policy')]).toEqual([404, "default-src 'none'"]);
});
