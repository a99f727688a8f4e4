import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../support/scene.ts';
import { requestOf } from '../../support/adapter.ts';
import { stepAt } from '../../support/scene/approval-requests.ts';
import { through } from '../../support/gates.ts';

const { app, people, agents, ask } = await scene({
  people: { ada: REVIEWER, eve: [] },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});
const { ada, eve } = people;
const id = await ask({ tool: 'refund' });

const NAVIGATION = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
const ACCOUNT = '/api/v1/me';
const CHANGES = '/api/v1/requests/changes?scope=visible';
const listOf = (query: string): string => `/api/v1/requests?view=summary&limit=50&${query}`;
const ASKED = listOf('scope=notified&status=pending');
const REQUEST = `/api/v1/requests/${id}`;

const unescaped = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

/** The answers of a page, by their calls. */
async function answersOf(
  path: string,
  { as = ada.cookie, headers = NAVIGATION }: { as?: string; headers?: Record<string, string> } = {},
): Promise<Record<string, string>> {
  const page = await app.http.call('GET', path, { headers: { ...headers, cookie: as } });
  expect([page.status, page.text.endsWith('</html>\n')]).toEqual([200, true]);
  const found = page.text.matchAll(
    /<template data-call="([^"]*)" data-date="[^"]* GMT">([^<]*)<\/template>/g,
  );
  return Object.fromEntries(
    [...found].map(([, call = '', body = '']) => [call, body].map(unescaped)),
  );
}

test.each([
  ['/', [ACCOUNT, CHANGES, ASKED]],
  ['/?tab=asked', [ACCOUNT, CHANGES, ASKED]],
  ['/?tab=mine', [ACCOUNT, CHANGES, listOf('scope=decidable&status=pending')]],
  ['/?tab=all', [ACCOUNT, CHANGES, listOf('scope=visible&status=pending')]],
  ['/?tab=decided', [ACCOUNT, CHANGES, listOf('scope=visible&status=decided')]],
  ['/?tab=toString', [ACCOUNT, CHANGES]],
  ['/?tab=all&tab=mine', [ACCOUNT, CHANGES]],
  ['/?q=refund', [ACCOUNT, CHANGES]],
  [`/requests/${id}`, [ACCOUNT, CHANGES, ASKED, REQUEST]],
  [`/requests/${id}?tab=all&sort=deadline`, [ACCOUNT, CHANGES, REQUEST]],
  [`/requests/${id.toUpperCase()}`, []],
  ['/requests/01890000-0000-7000-8000-000000000000', [ACCOUNT, CHANGES, ASKED]],
  ['/requests/changes', []],
  ['/account', []],
])('a page at %s brings what it reads first', async (path, calls) => {
  const answers = await answersOf(path);
  expect(Object.keys(answers)).toEqual(calls);
});

test('answers of a page are those that the browser would get, character for character', async () => {
  const given =
    '{"amount": 12.50,\r\n "html": "</template><script>&amp;&lt;\\u003c", "wide": "é\u2028😀"}';
  const body = `{"tool":"</template>&#13;","timeout":"1h","arguments":${given}}`;
  const exact = requestOf(await agents.bot.adapter.create(body)).id;
  await stepAt(app, exact);
  const answers = await answersOf(`/requests/${exact}`);
  for (const call of [`/api/v1/requests/${exact}`, ASKED])
    expect(answers[call]).toBe((await ada.browser.call('GET', call)).text);
  expect(answers[`/api/v1/requests/${exact}`]).toContain(given);
  expect(answers[ACCOUNT]).toContain(ada.membershipId);
});

test.each<[string, { as?: string; headers?: Record<string, string> }]>([
  ['no session', { as: '' }],
  ['an ended session', { as: 'service_session=whs_0_0' }],
  ['a script that reads it', { headers: { 'sec-fetch-dest': 'empty' } }],
  ['a frame around it', { headers: { 'sec-fetch-dest': 'iframe' } }],
  ['a browser that guesses', { headers: { ...NAVIGATION, 'sec-purpose': 'prefetch' } }],
  ['a browser that does not say what for', { headers: {} }],
])('a page for %s brings no answers', async (_, options) => {
  expect(await answersOf(`/requests/${id}`, options)).toEqual({});
});

test('a page brings nothing that its person may not read', async () => {
  expect(Object.keys(await answersOf(`/requests/${id}`, { as: eve.cookie }))).toEqual([ACCOUNT]);
});

test('a list is not older than the changes from which its page goes on', async () => {
  let late = '';
  const answers = await through(
    app,
    { of: 'pg_current_snapshot', at: 'before', happens: async () => (late = await ask()) },
    () => answersOf('/'),
  );
  expect(answers[ASKED]).toContain(late);
});

test('a page leaves long answers to its own call', async () => {
  const long = await ask({ arguments: { text: 'x'.repeat(256 * 1024) } });
  expect(Object.keys(await answersOf(`/requests/${long}`))).toEqual([ACCOUNT, CHANGES, ASKED]);
});

test('a page comes without the answers that are not there in time', async () => {
  const holder = await app.db.transaction();
  await holder.raw('lock table approval_requests in access exclusive mode');
  try {
    expect(Object.keys(await answersOf('/'))).toEqual([ACCOUNT]);
  } finally {
    await holder.rollback();
  }
  expect(Object.keys(await answersOf('/'))).toEqual([ACCOUNT, CHANGES, ASKED]);
});
