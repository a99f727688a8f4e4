/** The API reference at /api/docs: Swagger UI over openapi.yaml, from files of this service only. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Router from '@koa/router';
import { AppError } from '../../src/domain/errors.ts';
import { packageRoot } from '../../src/platform/package-root.ts';

/** `npm run build` copies its files to dist/, so that it remains a development package. Sources read them from the package. */
const BUILT = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGED = join(packageRoot(), 'node_modules/swagger-ui-dist');

/** Relative addresses, so that a proxy may put the service below a path. It shows calls and sends none. */
const START = `SwaggerUIBundle({
  url: 'openapi.yaml',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: -1,
  supportedSubmitMethods: [],
  syntaxHighlight: false,
  validatorUrl: null,
});
`;

/** The colors are those of the web app. What is hidden is for sending calls. */
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
.swagger-ui .scheme-container,
.swagger-ui .authorization__btn,
.swagger-ui .parameters :disabled,
.swagger-ui .response-col_links { display: none; }
.swagger-ui a,
.swagger-ui .info a,
.swagger-ui .markdown code,
.swagger-ui .renderedMarkdown code { color: #0d5450; }
.swagger-ui .parameter__in { color: #57524a; }
.swagger-ui .info .title small { background: #57524a !important; }
.swagger-ui .opblock .opblock-summary .opblock-summary-method { background: #0f5c57; }
.swagger-ui .opblock.opblock-delete .opblock-summary .opblock-summary-method { background: #a32020; }
`;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Asset {
  readonly type: string;
  readonly text: string;
}

interface Reference {
  /** By file name, which contains a digest of the text. */
  readonly assets: ReadonlyMap<string, Asset>;
  readonly page: string;
}

export function mountReference(router: Router): void {
  let loaded: Promise<Reference> | undefined;
  const load = () => (loaded ??= loadReference());
  router.get('/api/docs', async (ctx) => {
    const { page } = await load();
    ctx.set('Content-Security-Policy', POLICY);
    ctx.type = 'html';
    ctx.body = page;
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

async function loadReference(): Promise<Reference> {
  const assets = new Map<string, Asset>();
  const add = (name: string, type: string, text: string): string => {
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const file = `${name}.${digest}.${type}`;
    assets.set(file, { type, text });
    return `docs/${file}`;
  };
  const file = async (name: string) => {
    const built = join(BUILT, name);
    return await readFile(existsSync(built) ? built : join(PACKAGED, name), 'utf8');
  };
  const script = add('swagger-ui', 'js', await file('swagger-ui-bundle.js'));
  const theme = add('swagger-ui', 'css', await file('swagger-ui.css'));
  const start = add('start', 'js', START);
  const style = add('style', 'css', STYLE);
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Countersign API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${theme}">
<link rel="stylesheet" href="${style}">
</head>
<body>
<nav class="way"><a href="../">Back to Countersign</a> <a href="openapi.yaml">openapi.yaml</a></nav>
<main id="reference"></main>
<noscript>The reference needs JavaScript. <a href="openapi.yaml">openapi.yaml</a> has the same content.</noscript>
<script src="${script}"></script>
<script src="${start}"></script>
</body>
</html>
`;
  return { assets, page };
}
