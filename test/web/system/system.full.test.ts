/** What those who run the service see: its state with a Temporal server that is away, and the audit log of the open edition. */
import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';
import { linesOf } from '../../../web/src/areas/system/lines.ts';

const { app, ask, owner, people } = await scene({
  app: { environment: { COUNTERSIGN_TEMPORAL_UI_URL: 'http://127.0.0.1:8233' } },
  people: { ada: REVIEWER },
  paths: { desk: [['ada'], ['owner']] },
});
const id = await ask();
const PATH = '/settings/system';

describeInBrowser('someone who runs the service', () => {
  const browser = startBrowser();

  test('sees what is wrong first, what to do about it, and the workflow of a request', async () => {
    const page = await browser.open(`${app.url}${PATH}`, { as: owner });
    const lines = page.getByRole('list', { name: 'System' }).getByRole('listitem');
    await lines.first().waitFor();
    await page.getByText('Last migration').waitFor();
    // On a busy machine, another part may be slow for a moment.
    await lines
      .first()
      .filter({ hasText: /^WrongTemporal *does not respond *Requests/ })
      .waitFor();
    const said = lines.first().getByText('not connected', { exact: false });
    expect(await said.isVisible()).toBe(false);
    await lines.first().getByText('What it said').click();
    await said.waitFor();
    await lines.filter({ hasText: 'Late escalation levels' }).getByText('Well').waitFor();
    await screenshot(page, 'system');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('ID of the request').fill('this one');
    await page.getByText('An ID has 32 digits').waitFor();
    await page.getByLabel('ID of the request').fill(`${app.url}/requests/${id}`);
    const link = page.getByRole('link', { name: 'Open the workflow' });
    expect(await link.getAttribute('href')).toMatch(
      new RegExp(`^http://127.0.0.1:8233/namespaces/[^/]+/workflows/approval-request:${id}$`),
    );
    await page.setViewportSize(PHONE);
    await screenshot(page, 'system-phone');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('gets to the workflow of a request from its page, and reviewers do not', async () => {
    const page = await browser.open(`${app.url}/requests/${id}`, { as: owner });
    const link = page.getByRole('link', { name: 'Its workflow in Temporal' });
    await link.waitFor();
    expect(await link.getAttribute('href')).toMatch(new RegExp(`approval-request:${id}$`));
    await screenshot(page, 'system-request');
    expect(await violationsOf(page)).toEqual([]);
    const other = await browser.open(`${app.url}/requests/${id}`, { as: people.ada });
    await other.getByRole('heading', { name: 'Timeline' }).waitFor();
    await other.getByText('Routed to people').waitFor();
    expect(await other.getByRole('link', { name: /Temporal/ }).count()).toBe(0);
  });

  test('reads in the open edition how to export and verify the audit log', async () => {
    const page = await browser.open(`${app.url}/settings/audit`, { as: owner, viewport: PHONE });
    await page.getByRole('heading', { name: 'The audit log in this edition' }).waitFor();
    const commands = await page.locator('pre').allTextContents();
    expect(commands).toEqual([
      'npm run countersign -- export-audit audit.ndjson',
      `curl -sS --fail-with-body ${app.url}/.well-known/countersign-audit-keys > audit-keys.json`,
      'npm run countersign -- verify-audit audit.ndjson --key audit-keys.json',
      'npm run countersign -- verify-audit',
    ]);
    await page.getByRole('link', { name: 'Guide', exact: true }).waitFor();
    // A wide command scrolls in its own frame.
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    await screenshot(page, 'audit-open-phone');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('others see which permission is missing', async () => {
    const page = await browser.open(`${app.url}${PATH}`, { as: people.ada, dark: true });
    await page.getByText('You do not have access to this page').waitFor();
    expect(await page.getByRole('link', { name: 'System' }).count()).toBe(0);
  });
});

const AT = '2026-03-06T16:30:00.000Z';
const before = (seconds: number): string =>
  new Date(Date.parse(AT) - seconds * 1_000).toISOString();
const quiet: Parameters<typeof linesOf>[0] = {
  at: AT,
  edition: 'open',
  rules: 'workflow',
  checks: [
    { name: 'database', is_ok: true },
    { name: 'temporal', is_ok: true },
  ],
  versions: { countersign: '1.0.0', node: '20', postgres: '18' },
  worker_seen_at: before(20),
  clock_ahead_ms: 3,
  levels: { late_count: 0, worst_seconds: 0 },
  workflows: { silent_count: 0 },
  messages: { due_count: 2, due_since: before(1), dead_count: 0 },
  troubled_channels: [],
  temporal_calls: { waiting: 0, oldest_seconds: 0 },
  receivers: { waiting: 0, oldest_seconds: 0 },
  audit: { unsealed_count: 1, unsealed_since: before(1) },
};
const unwell = (changes: Partial<typeof quiet>): readonly string[] =>
  linesOf({ ...quiet, ...changes }).flatMap(({ name, state }) =>
    state === 'well' ? [] : [`${name} ${state}`],
  );

test('each figure has its line, and short waits are well', () => {
  expect(unwell({})).toEqual([]);
  expect(
    unwell({
      worker_seen_at: before(600),
      clock_ahead_ms: -4_000,
      levels: { late_count: 3, late_since: before(120), worst_seconds: 120 },
      workflows: { silent_count: 1, silent_since: before(9) },
      messages: { due_count: 9, due_since: before(70), dead_count: 1 },
      temporal_calls: { waiting: 2_000, oldest_seconds: 44 },
      receivers: { waiting: 4, oldest_seconds: 300 },
      audit: { unsealed_count: 1_000, unsealed_since: before(90) },
    }),
  ).toEqual([
    'worker wrong',
    'levels wrong',
    'workflows watch',
    'messages watch',
    'dead watch',
    'calls wrong',
    'receivers wrong',
    'seal wrong',
    'clock wrong',
  ]);
  const away = { name: 'temporal', is_ok: false, problem: 'it does not respond' };
  const { worker_seen_at: _seen, ...unseen } = quiet;
  expect(
    linesOf({ ...unseen, checks: [away] }).flatMap(({ name, state, fact }) =>
      state === 'well' ? [] : [`${name} ${state}: ${fact}`],
    ),
  ).toEqual([
    'temporal wrong: does not respond',
    'worker watch: unknown while Temporal does not respond',
  ]);
});

test('a part that works and lacks something is to watch', () => {
  const problem = 'Temporal namespace shared has no room for 5 of 5 search attributes: A.';
  const lines = linesOf({ ...quiet, checks: [{ name: 'temporal', is_ok: true, problem }] });
  expect(lines.find(({ name }) => name === 'temporal')).toMatchObject({
    state: 'watch',
    fact: 'has no room for all search attributes',
    said: problem,
  });
});

test('a file that cannot be written says nothing against the audit log, and names itself', () => {
  const problem = 'what is signed cannot be kept: /data/audit-signed cannot be written.';
  const told = (cause: 'log_changed' | 'not_kept') =>
    linesOf({
      ...quiet,
      checks: [{ name: 'audit', is_ok: true, problem }],
      audit: { ...quiet.audit, refused: { since: before(9), cause, reason: 'why' } },
    }).find(({ name }) => name === 'audit');
  expect(told('not_kept')).toMatchObject({
    state: 'wrong',
    fact: 'nothing is signed: what is signed cannot be kept',
    said: problem,
  });
  expect(told('log_changed')).toMatchObject({
    state: 'wrong',
    fact: 'refused: the log does not extend what was signed last',
    said: 'why',
  });
});

test('what a part of the service says is told in plain words, and kept as it was said', () => {
  const told = (name: string, problem: string) => {
    const lines = linesOf({ ...quiet, checks: [{ name, is_ok: false, problem }] });
    const line = lines.find((each) => each.name === name);
    expect(line).toMatchObject({ state: 'wrong', said: problem });
    return line?.fact;
  };
  const transport = 'not connected: transport error';
  expect([
    told('temporal', 'no response within 2 s'),
    told('temporal', `${transport}: tcp connect error: Connection refused (os error 111)`),
    told('temporal', `${transport}: invalid peer certificate: UnknownIssuer`),
    told('temporal', `${transport}: received fatal alert: CertificateRequired`),
    told('temporal', 'not connected: 7 PERMISSION_DENIED: Request unauthorized.'),
    told('temporal', 'not connected: 5 NOT_FOUND: Namespace countersign is not found.'),
    told('temporal', `${transport}: dns error: failed to lookup address information`),
    told('database', 'it is read-only: a standby, or default_transaction_read_only is on'),
    told('database', "its clock is 4000 ms off this process's"),
    told('database', 'Error: connect ECONNREFUSED 127.0.0.1:5432'),
    told('migrations', 'not run yet: 20261101000000_keys.ts'),
  ]).toEqual([
    'does not respond',
    'does not respond',
    'the two sides do not agree on TLS',
    'the two sides do not agree on TLS',
    'refuses this service',
    'does not know the namespace',
    'its host name was not found',
    'is read-only',
    'its clock differs from the clock of this process',
    'does not respond',
    'is older than this version of the service',
  ]);
});
