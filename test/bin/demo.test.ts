import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { HttpClient } from '../support/http.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ temporal: true });
});

afterAll(async () => {
  await app.close();
});

/** `npm run demo` from the sources, against the service of this test. */
async function playDemo(environment: Readonly<Record<string, string>> = {}) {
  const root = packageRoot();
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--import', join(root, 'test/support/typescript.js'), join(root, 'demo/main.ts')], {
    env: {
      ...{ PATH, HOME },
      COUNTERSIGN_PUBLIC_URL: app.url,
      COUNTERSIGN_DATA_DIR: dirname(app.context.bootstrapSecretFile),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** The texts, each found behind the one before. */
function expectInOrder(output: string, texts: readonly string[]): void {
  let from = 0;
  for (const text of texts) {
    const at = output.indexOf(text, from);
    if (at < 0) throw new Error(`“${text}” is not where it should be in:\n${output}`);
    from = at + text.length;
  }
}

test('the demo plays the main job whole, can be played again, and fails where the service does otherwise', async () => {
  const { code, output } = await playDemo();
  expectInOrder(output, [
    `Countersign answers at ${app.url}`,
    'lets the first owner in, once',
    '✓ approved at once',
    '✓ denied at once',
    '"amount": 120.50, "ledger_entry": 9007199254740993}?',
    '✓ the arguments come back digit for digit',
    '✓ level 1 is asked, level 2 is not',
    "The adapter's wait came back after 30.",
    '✓ level 1 is done, level 2 is asked',
    "the adapter's parked wait returned",
    '✓ the adapter has its approval',
    '✓ and the arguments, still digit for digit',
    '✓ a second decision is refused',
    '✓ expired',
    'approval_request.created',
    '✓ the timeline tells it all, in order',
    'All 12 steps came out as they should',
  ]);
  expect(output).not.toContain('✗');
  // Nothing but text where no terminal is.
  expect(output.includes('\u001b')).toBe(false);
  expect(code).toBe(0);

  const withoutKey = await playDemo();
  expectInOrder(withoutKey.output, ['✗ The play stopped in step 2', 'COUNTERSIGN_API_KEY']);
  expect(withoutKey.code).toBe(1);

  const COUNTERSIGN_API_KEY = /COUNTERSIGN_API_KEY=(whk_\S+)/.exec(output)?.[1] ?? '';
  const owner = new HttpClient(app.url, { authorization: `Bearer ${COUNTERSIGN_API_KEY}` });
  const pipeline = '/api/v1/request-approval-pipelines/organization/revisions';
  const denyAll = { id: 'closed', name: 'Closed', type: 'always', config: { outcome: 'deny', reason: 'Closed today.' } };
  await owner.post(pipeline, { blocks: [denyAll] });
  expect((await owner.post(`${pipeline}/2/activate`, undefined, { headers: { 'if-match': '"1"' } })).status).toBe(200);
  const closed = await playDemo({ COUNTERSIGN_API_KEY });
  expectInOrder(closed.output, [
    'Ada of Acme calls with COUNTERSIGN_API_KEY',
    '✗ approved at once: expected "approved", came out as "denied"',
    '✓ denied at once',
    '✗ pending: expected "pending", came out as "denied"',
    '✗ The play stopped in step 8',
  ]);
  expect(closed.code).toBe(1);
}, 110_000);
