/**
 * The web app: index.html for every page, and the files that Vite built with a digest in their
 * names.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { send } from '@koa/send';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../src/domain/errors.ts';
import { isWebPage } from '../../src/domain/web-pages.ts';
import { packageRoot } from '../../src/platform/package-root.ts';

/** `npm run build` writes it. */
const BUILT = join(packageRoot(), 'dist/web');

/**
 * Paths of the service itself, and those at which programs look for one. What is not there is a 404 with
 * the envelope, also for browsers. Below `/oauth` lies one page, for consent.
 */
const SERVICE = /^\/(?:api|auth|health|metrics|aap|v1|mcp|\.well-known|oauth)(?:\/|$)/;

/** Vite names these files by their content, so that they never change. */
const ASSET = /^\/assets\/[\w.-]+$/;

/** No page has such a path. */
const ASSETS = /^\/assets(?:\/|$)/;

/** Files next to index.html, whose names browsers know. */
const FIXED = new Set([
  '/sw.js',
  '/manifest.webmanifest',
  '/icon.svg',
  '/icon-192.png',
  '/icon-512.png',
]);

const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;

/** What Vite leaves in index.html for the nonce of each response. */
const NONCE = '__CSP_NONCE__';

export interface WebAppOptions {
  /** What Vite built. Default: the web app. */
  readonly folder?: string;
}

export function serveWebApp({ folder = BUILT }: WebAppOptions = {}): Middleware {
  return async (ctx, next) => {
    const isPage = isWebPage(ctx.path);
    const isService = SERVICE.test(ctx.path) && !isPage;
    if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || isService) {
      await next();
      return;
    }
    if (ASSET.test(ctx.path)) await sendFile(ctx, folder, YEAR_MS);
    else if (FIXED.has(ctx.path)) await sendFile(ctx, folder, 0);
    else if (ASSETS.test(ctx.path)) throw notFound();
    else if (isPage) await sendPage(ctx, folder);
    else await refusePath(ctx, folder);
  };
}

/** People get the page, which says that nothing is there. Programs must not take it for a response. */
async function refusePath(ctx: Context, folder: string): Promise<void> {
  ctx.vary('Accept');
  if (ctx.accepts('json', 'html') !== 'html') throw notFound();
  await sendPage(ctx, folder);
  ctx.status = 404;
}

async function sendFile(ctx: Context, folder: string, maxAge: number): Promise<void> {
  ctx.set('Content-Security-Policy', "default-src 'none'");
  ctx.vary('Accept-Encoding');
  // A file loses the `no-store` of the API. A missing one keeps it, because the next build may have it.
  const setHeaders = () => {
    ctx.remove('Cache-Control');
  };
  const options = { root: folder, maxAge, immutable: maxAge > 0, setHeaders };
  // Nothing is sent of folders and hidden files.
  if ((await send(ctx, ctx.path, options).catch(refuse)) === undefined) throw notFound();
}

/** The same page, which loads with it what is shown at this path (`web/build/first-screens.ts`). */
function pageOf(path: string): string {
  if (path === '/' || path.startsWith('/requests/')) return 'requests.html';
  return path === '/login' ? 'sign-in.html' : 'index.html';
}

async function sendPage(ctx: Context, folder: string): Promise<void> {
  const page = await readFile(join(folder, pageOf(ctx.path)), 'utf8').catch(refuse);
  const nonce = randomBytes(16).toString('base64');
  ctx.set('Content-Security-Policy', policy(nonce));
  ctx.set('X-Frame-Options', 'DENY');
  ctx.type = 'html';
  ctx.body = page.replaceAll(NONCE, nonce);
}

const notFound = () => new AppError('not_found', { detail: 'There is nothing at this path.' });

/** A file that is not there is a 404. So is the whole web app where it was not built. */
function refuse(error: NodeJS.ErrnoException & { readonly status?: number }): never {
  if (error.code === 'ENOENT' || error.status === 404) throw notFound();
  throw error;
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "require-trusted-types-for 'script'",
    'trusted-types countersign',
  ].join('; ');
}
