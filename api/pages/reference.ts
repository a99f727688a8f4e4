/** The API reference at /api/docs: Redoc over openapi.yaml, from files of this service only. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Router from '@koa/router';
import { AppError } from '../../src/domain/errors.ts';
import { packageRoot } from '../../src/platform/package-root.ts';

/**
 * Redoc is a development package, because its peers (React, MobX, core-js …) have no use in
 * production. `npm run build` copies its one file to dist/redoc.standalone.js. Sources read it from
 * the package.
 */
const BUILT = fileURLToPath(new URL('../../redoc.standalone.js', import.meta.url));
const PACKAGED = join(packageRoot(), 'node_modules/redoc/bundles/redoc.standalone.js');

/** Relative addresses, so that a proxy may put the service below a path of its own. The colors are those of the web app. */
const START = `const FONT = 'ui-sans-serif, system-ui, Arial, sans-serif';
const MONO = 'ui-monospace, monospace';
Redoc.init(
  'openapi.yaml',
  {
    nonce: document.querySelector('link[rel=stylesheet]').nonce,
    disableSearch: true,
    hideLoading: true,
    nativeScrollbars: true,
    theme: {
      spacing: { sectionVertical: 24 },
      colors: {
        primary: { main: '#0f5c57' },
        success: { main: '#0f5c57' },
        warning: { main: '#7a4a00' },
        error: { main: '#a32020' },
        text: { primary: '#1d1b18', secondary: '#57524a' },
        border: { dark: '#8c867a', light: '#dedad1' },
      },
      sidebar: { backgroundColor: '#f3f1ec', textColor: '#1d1b18', activeTextColor: '#0d5450' },
      rightPanel: { backgroundColor: '#262623', textColor: '#f1efe9' },
      typography: {
        fontSize: '15px',
        fontFamily: FONT,
        headings: { fontFamily: FONT, fontWeight: '650' },
        code: { fontFamily: MONO, color: '#0d5450', backgroundColor: '#f3f1ec' },
        links: { color: '#0d5450' },
      },
    },
  },
  document.getElementById('reference'),
);
`;

/** The image is Redoc's logo on its own host, which the policy does not allow. */
const STYLE = `body { margin: 0; background: #fbfaf7; color: #1d1b18; }
.way {
  display: flex;
  align-items: center;
  justify-content: space-between;
  min-height: 2.75rem;
  padding: 0 1.25rem;
  border-bottom: 1px solid #dedad1;
  background: #ffffff;
  font: 15px ui-sans-serif, system-ui, Arial, sans-serif;
}
.way a { color: #0d5450; text-underline-offset: 0.2em; }
.way a:focus-visible { outline: 2px solid #0f5c57; outline-offset: 2px; }
img[src^='https://cdn.redoc.ly/'] { display: none; }
`;

/** Styles that Redoc 2.5.4 inserts before it knows the nonce: an empty one, and that of its scrollbars. */
const EARLY_STYLES = [
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",
];

interface Asset {
  readonly type: string;
  readonly text: string;
}

interface Reference {
  /** By file name, which contains a digest of the text. */
  readonly assets: ReadonlyMap<string, Asset>;
  readonly page: (nonce: string) => string;
}

export function mountReference(router: Router): void {
  let loaded: Promise<Reference> | undefined;
  const load = () => (loaded ??= loadReference());
  router.get('/api/docs', async (ctx) => {
    const { page } = await load();
    const nonce = randomBytes(16).toString('base64');
    ctx.set('Content-Security-Policy', policy(nonce));
    ctx.type = 'html';
    ctx.body = page(nonce);
  });
  router.get('/api/docs/:file', async (ctx) => {
    const { assets } = await load();
    const asset = assets.get(ctx['params'].file as string);
    if (!asset) throw new AppError('not_found');
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
    ctx.type = asset.type;
    ctx.body = asset.text;
  });
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'nonce-${nonce}' ${EARLY_STYLES.join(' ')}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

async function loadReference(): Promise<Reference> {
  const assets = new Map<string, Asset>();
  const add = (name: string, type: string, text: string): string => {
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const file = `${name}.${digest}.${type}`;
    assets.set(file, { type, text });
    return `docs/${file}`;
  };
  const redoc = add('redoc', 'js', await readFile(existsSync(BUILT) ? BUILT : PACKAGED, 'utf8'));
  const start = add('start', 'js', START);
  const style = add('style', 'css', STYLE);
  const page = (nonce: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Countersign API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}" nonce="${nonce}">
</head>
<body>
<nav class="way"><a href="../">Back to Countersign</a> <a href="openapi.yaml">openapi.yaml</a></nav>
<div id="reference"></div>
<noscript>The reference needs JavaScript. <a href="openapi.yaml">openapi.yaml</a> has the same content.</noscript>
<script src="${redoc}"></script>
<script src="${start}"></script>
</body>
</html>
`;
  return { assets, page };
}
