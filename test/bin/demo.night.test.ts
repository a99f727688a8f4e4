import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { HttpClient } from '../support/http.ts';
import { builtPath } from '../support/run/built.ts';
import { until } from '../support/waiting.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ temporal: true });
});

afterAll(async () => {
  await app.close();
});

/** `npm run demo` from the sources, against the service of this test. */
function runDemo(environment: Readonly<Record<string, string>> = {}) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [builtPath('demo/main.ts')], {
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
  const ended = once(child, 'close').then(([code]) => ({ code: code as unknown, output }));
  return { ended, output: () => output };
}

/** Checks that the output contains these texts in this order. */
function expectInOrder(output: string, texts: readonly string[]): void {
  let from = 0;
  for (const text of texts) {
    const at = output.indexOf(text, from);
    if (at < 0) throw new Error(`“${text}” is not where it should be in:\n${output}`);
    from = at + text.length;
  }
}

test('the demo runs to its end, and fails where it may not run or the service answers otherwise', async () => {
  const whole = runDemo();
  // While its minute passes, two others run on the same service.
  await until('it counts down', () => whole.output().includes('s until level 2 is asked'));
  const COUNTERSIGN_API_KEY = /COUNTERSIGN_API_KEY=(whk_\S+)/.exec(whole.output())?.[1] ?? '';
  await denyFirstPayments(COUNTERSIGN_API_KEY);
  const [withoutKey, denied] = await Promise.all([
    runDemo().ended,
    runDemo({ COUNTERSIGN_API_KEY }).ended,
  ]);
  expectInOrder(withoutKey.output, ['✗ The demo stopped in step 2', 'COUNTERSIGN_API_KEY']);
  expect(withoutKey.code).toBe(1);
  expectInOrder(denied.output, [
    'Ada of Acme calls with COUNTERSIGN_API_KEY',
    '✗ approved at once: expected "approved", came out as "denied"',
    '✓ denied at once',
    '✗ pending: expected "pending", came out as "denied"',
    '✗ The demo stopped in step 8',
  ]);
  expect(denied.code).toBe(1);

  const { code, output } = await whole.ended;
  expectInOrder(output, [
    `Countersign answers at ${app.url}`,
    'creates the first owner, once',
    '✓ approved at once',
    '✓ denied at once',
    '"amount": 120.50, "ledger_entry": 9007199254740993}?',
    '✓ the arguments come back digit for digit',
    '✓ level 1 is asked, level 2 is not',
    "The adapter's wait came back after ",
    '✓ level 1 is done, level 2 is asked',
    "the adapter's parked wait returned",
    '✓ the adapter has its approval',
    '✓ and the arguments, still digit for digit',
    '✓ a second decision is refused',
    '✓ expired',
    'approval_request.created',
    '✓ the timeline has every event, in order',
    'All 12 steps came out as they should',
  ]);
  expect(output).not.toContain('✗');
  // Plain text only, because there is no terminal.
  expect(output.includes('\u001b')).toBe(false);
  expect(code).toBe(0);
});

/**
 * A rule of the organization, which comes before those of the demo. The demo that waits a minute
 * has asked these already.
 */
async function denyFirstPayments(apiKey: string): Promise<void> {
  const owner = new HttpClient(app.url, { authorization: `Bearer ${apiKey}` });
  const revisions = '/api/v1/request-approval-pipelines/organization/revisions';
  const when = {
    id: 'listed',
    field: '/request/arguments/payment_id',
    operator: 'in',
    value: ['pay_81', 'pay_82'],
  };
  const config = { when, on_match: 'deny', reason: 'Closed today.' };
  await owner.post(revisions, { blocks: [{ id: 'closed', name: 'Closed', type: 'cel', config }] });
  const activated = await owner.post(`${revisions}/2/activate`, undefined, {
    headers: { 'if-match': '"1"' },
  });
  expect(activated.status).toBe(200);
}
