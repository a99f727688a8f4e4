/** What messages show of a call: no hidden value on any channel, and never an approval of what they show in part. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ask, stepAt } from '../../support/scene/approval-requests.ts';
import {
  asked,
  click,
  createScene,
  deliver,
  newChannel,
  type Scene,
  slackForFile,
} from '../../support/scene/slack-scene.ts';
import { heldBy } from '../../support/held-by.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { buttonsOf } from '../../support/servers/slack-server.ts';
import {
  LOOPBACK_ALLOWED,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/servers/webhook-receiver.ts';

/** The bound is wide: reading on the main thread held others for 901 ms. */
const MOST_MS = 500;

const mails = await startMailServer();
const { app, slack } = await slackForFile({
  ...LOOPBACK_ALLOWED,
  SMTP_URL: mails.url,
  COUNTERSIGN_EMAIL_FROM: 'Approvals <ask@approvals.example>',
});

let receiver: WebhookReceiver;
let here: Scene;
let channel: string;

afterAll(() => mails.close());

afterEach(async () => {
  await receiver.close();
});

beforeEach(async () => {
  receiver = await startWebhookReceiver();
  channel = newChannel();
  here = await createScene(app, slack, { defaultChannel: channel });
});

const owner = () => here.organization.owner;

async function createWebhook(): Promise<void> {
  const created = await owner().browser.post('/api/v1/notification_channels', {
    ...{ kind: 'webhook', name: 'All', url: receiver.url, include_arguments: true },
  });
  expect(created.status).toBe(201);
}

/** Asks, and returns what each channel shows, and the line of the queue. */
async function shownOf(call: { readonly tool?: string; readonly arguments: unknown }) {
  const id = await ask(app, here.agent, call);
  await deliver(app);
  const list = await owner().http.get('/api/v1/requests?view=summary');
  const [posted] = receiver.received.slice(-1);
  const mail = await mails.mailTo(here.reviewer.email);
  return {
    id,
    mail: `${mail.subject}\n${mail.text}`,
    direct: JSON.stringify(slack.postsTo(`D${here.slackUser}`).at(-1)?.blocks),
    announced: JSON.stringify(slack.postsTo(channel).at(-1)?.blocks),
    webhook: posted?.body ?? '',
    excerpt: String(
      (list.body['requests'] as unknown as readonly Record<string, unknown>[])[0]?.['excerpt'],
    ),
  };
}

describe('a hidden value', () => {
  const SECRET = 'hunter2-correct-horse';

  test('that a presentation marks is in no message, no webhook and no line of the queue', async () => {
    await createWebhook();
    const fields = [
      { path: '/name', label: 'Name', kind: 'text', role: 'primary' },
      { path: '/value', label: 'Value', kind: 'text', role: 'sensitive' },
    ];
    const entry = { tool: 'set_it', title: 'Set {/name} to {/value}', fields };
    expect((await owner().http.post('/api/v1/tool_presentations', entry)).status).toBe(201);
    const { id, ...texts } = await shownOf({
      tool: 'set_it',
      arguments: { name: 'STRIPE', value: SECRET },
    });
    for (const [name, text] of Object.entries(texts)) {
      expect([name, text]).toEqual([name, expect.not.stringContaining(SECRET)]);
      expect([name, text]).toEqual([name, expect.stringContaining('•••')]);
      expect([name, text]).toEqual([name, expect.stringContaining('STRIPE')]);
    }
    expect(texts.mail).toContain('    Set STRIPE to •••');
    expect(texts.mail).toContain('1 value is hidden: /value. Open the request to show it.');
    const detail = await owner().http.get(`/api/v1/requests/${id}`);
    expect(detail.body['arguments']).toEqual({ name: 'STRIPE', value: SECRET });
  });

  test('whose name is that of a secret is in none either, without a presentation and at any depth', async () => {
    await createWebhook();
    const { id: _id, ...texts } = await shownOf({
      arguments: { url: 'https://db', auth: [{ apiKey: SECRET, user: 'ada' }], password: SECRET },
    });
    for (const [name, text] of Object.entries(texts)) {
      expect([name, text]).toEqual([name, expect.not.stringContaining(SECRET)]);
      expect([name, text]).toEqual([name, expect.stringContaining('•••')]);
    }
    const { request } = JSON.parse(texts.webhook) as { request: Record<string, unknown> };
    expect(request).toMatchObject({
      arguments: { url: 'https://db', auth: [{ apiKey: '•••', user: 'ada' }], password: '•••' },
      hidden_arguments: ['/auth/0/apiKey', '/password'],
    });
  });

  test('that is a part of a text is in none either: the rest of the text stays', async () => {
    await createWebhook();
    const { id: _id, ...texts } = await shownOf({
      tool: 'run_it',
      arguments: {
        command: `curl -H "Authorization: Bearer ${SECRET}" https://a.example/?sig=${SECRET}&n=1.50`,
        body: `{"user":"ada","password":"${SECRET}"}`,
        args: ['db', '--password', SECRET],
      },
    });
    for (const [name, text] of Object.entries(texts)) {
      expect([name, text]).toEqual([name, expect.not.stringContaining(SECRET)]);
      expect([name, text]).toEqual([name, expect.stringContaining('Bearer •••')]);
    }
    for (const text of [texts.mail, texts.direct, texts.announced]) {
      expect(text).toContain('https://a.example/?sig=•••&n=1.50');
      expect(text).toContain(
        '3 values are hidden: 2 parts of /command, a part of /body, /args/2. Open the request to show them.',
      );
    }
    const { request } = JSON.parse(texts.webhook) as { request: Record<string, unknown> };
    expect(request['hidden_arguments']).toEqual(['/command', '/body', '/args/2']);
  });

  test('that could be more than a secret is approved only where it can be read', async () => {
    const buttonsFor = async (args: object) => {
      const { post } = await asked(here, args);
      expect(JSON.stringify(post.blocks)).toContain('1 value is hidden: a part of /command.');
      expect(JSON.stringify(post.blocks)).not.toMatch(/hunter2|rm -rf|xxx/);
      return Object.keys(buttonsOf(post))[0];
    };
    expect(await buttonsFor({ command: 'db --password=hunter2' })).toBe('Approve');
    expect(await buttonsFor({ command: "db --password='x; rm -rf /'" })).toBe('Open to approve');
    expect(await buttonsFor({ command: `db --password=${'x'.repeat(600)}` })).toBe(
      'Open to approve',
    );
  });

  test('is left out of large arguments of a webhook, too, and no one waits for their reading', async () => {
    await createWebhook();
    const list = Array.from({ length: 60_000 }, () => 1);
    const id = await ask(app, here.agent, { arguments: { list, items: [{ token: SECRET }] } });
    expect(await heldBy(() => deliver(app))).toBeLessThan(MOST_MS);
    const { request } = JSON.parse(receiver.received.at(-1)?.body ?? '') as {
      request: Record<string, unknown>;
    };
    expect(request).toMatchObject({
      id,
      arguments: { list, items: [{ token: '•••' }] },
      hidden_arguments: ['/items/0/token'],
    });
  });

  test('is one by a name that the organization adds, and none once it turns its names off', async () => {
    const change = (revision: number, hidden_names: object) =>
      owner().browser.call('PATCH', '/api/v1/organization', {
        body: { settings: { hidden_names } },
        headers: { 'if-match': `"${revision}"` },
      });
    expect((await change(1, { add: ['iban'] })).status).toBe(200);
    const call = { tool: 'note_it', arguments: { customerIban: 'DE-1', password: 'pass-2' } };
    const some = await shownOf(call);
    expect(some.mail).not.toMatch(/DE-1|pass-2/);
    expect((await change(2, { defaults: false, add: [] })).status).toBe(200);
    const all = await shownOf(call);
    expect(all.excerpt).toBe('customerIban: DE-1 · password: pass-2');
    expect(all.direct).toContain('pass-2');
  });
});

describe('a call that a message cannot show whole, or that may deceive', () => {
  const padded = `ls${' '.repeat(2_000)}; rm -rf /`;

  test.each([
    ['is long', { command: `${'x'.repeat(3_000)}; rm -rf /` }, 'Shortened here: /command'],
    [
      'has more values than fit',
      { ids: Array.from({ length: 900 }, (_, id) => `id-${id}`) },
      'Left out here:',
    ],
    [
      'is too long to be read whole',
      { ids: Array(20_000).fill('id-1'), password: 'x' },
      'Only the beginning of',
    ],
    ['mixes scripts', { to: 'p\u0430ypal' }, 'mixes Latin and Cyrillic'],
    // cspell:disable-next-line
    [
      'only looks Latin',
      { to: 'https://аррӏе.com' },
      'has Cyrillic letters that look like Latin ones',
    ],
    // cspell:disable-next-line
    ['has an encoded name', { to: 'https://xn--80ak6aa92e.com' }, 'is an encoded name'],
    ['reorders text', { to: 'a\u202eb' }, 'hide, cover or reorder'],
  ])(
    'has no approval in Slack if it %s, and a forged one is refused',
    async (_what, args, note) => {
      const whole = await asked(here);
      const approve = buttonsOf(whole.post)['Approve'];
      expect(approve).toBeDefined();
      const { id, post } = await asked(here, args);
      expect(JSON.stringify(post.blocks)).toContain(note);
      const buttons = buttonsOf(post);
      expect(Object.keys(buttons)).toEqual(['Open to approve', 'Deny', 'Deny with a note']);
      const said = slack.ephemeralTexts.length;
      await here.caller.click(here.slackUser, { action_id: 'countersign_approve', value: id });
      expect(await slack.ephemeralText(said + 1)).toMatch(/Open it to approve\./);
      const read = async () =>
        (await here.reviewer.http.get(`/api/v1/requests/${id}`)).body['status'];
      expect(await read()).toBe('pending');
      expect(await click(here, post, 'Deny')).toBe(`Denied by ${here.reviewer.displayName}.`);
      expect(await read()).toBe('denied');
    },
  );

  test('shows both ends of what is padded, and of what is shortened', async () => {
    const { mail, direct, announced } = await shownOf({
      tool: 'run_it',
      arguments: { command: padded },
    });
    for (const text of [mail, direct, announced])
      expect(text).toContain('ls[2,000 spaces]; rm -rf /');
    const long = await shownOf({
      tool: 'run_it',
      arguments: { command: `echo start${'\nok'.repeat(2_000)}; rm -rf /`, last: 'the end' },
    });
    for (const text of [long.mail, long.direct, long.announced]) {
      expect(text).toContain('echo start');
      expect(text).toContain('; rm -rf /');
      expect(text).toContain('(6,020 characters)');
    }
    expect(long.mail).toContain('Shortened here: /command (6,020 characters).');
  });

  test('shows no white space between the parts of JSON, and escapes of visible characters decoded', async () => {
    const body = `{"tool":"run_it","timeout":"1h","arguments":{"a":1,${' \n'.repeat(5_000)}"b":"\\u5f20\\u4f1f","c":"\\u0072m","d":"\\u202e"}}`;
    const answer = await fetch(`${app.url}/api/aap/v1/requests`, {
      ...{ method: 'POST', body },
      headers: {
        authorization: `Bearer ${here.agent.credential}`,
        'content-type': 'application/json',
        'idempotency-key': 'spaces',
      },
    });
    expect(answer.status).toBe(201);
    const { id } = (await answer.json()) as { id: string };
    await stepAt(app, id);
    await deliver(app);
    const { text } = await mails.mailTo(here.reviewer.email);
    expect(text).toContain('    "a": 1\n    "b": "张伟"\n    "c": "rm"\n    "d": "\\u202e"');
    expect(slack.postsTo(`D${here.slackUser}`).at(-1)?.text).toContain('run_it');
    expect(JSON.stringify(slack.postsTo(`D${here.slackUser}`).at(-1)?.blocks)).toContain('张伟');
  });
});
