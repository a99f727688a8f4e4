/** `npm run web:types`: the types of the API for the web app, from api/openapi.yaml, unless they are up to date. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL, URL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = join(root, 'api/openapi.yaml');
const target = join(root, 'web/src/shared/api/openapi.d.ts');

const digest = createHash('sha256').update(readFileSync(source)).digest('hex');
const mark = `/** Generated from api/openapi.yaml, SHA-256 ${digest}. */\n`;
if (!existsSync(target) || !readFileSync(target, 'utf8').startsWith(mark)) {
  const { default: openapiTypescript, astToString } = await import('openapi-typescript');
  writeFileSync(target, mark + astToString(await openapiTypescript(pathToFileURL(source))));
}
