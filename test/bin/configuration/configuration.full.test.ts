/** `countersign plan`, `apply` and `export` against a running service. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { applyChanges, type Applied } from '../../../bin/configuration/apply.ts';
import { plan } from '../../../bin/configuration/command.ts';
import { readFolder } from '../../../bin/configuration/folder.ts';
import { planOf } from '../../../bin/configuration/plan.ts';
import { openService } from '../../../bin/configuration/service.ts';
import { Adapter } from '../../support/adapter.ts';
import { Ledger } from '../../support/adapter/ledger.ts';
import { HttpClient } from '../../support/http.ts';
import { appForFile } from '../../support/scene.ts';
import { createInstance } from '../../support/scene/factories.ts';
import { LOOPBACK_ALLOWED } from '../../support/servers/webhook-receiver.ts';
import { companyOn, ended, json, started, textsIn } from './company.ts';

const app = await appForFile({
  environment: { ...LOOPBACK_ALLOWED, COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64') },
});
const company = await companyOn(app);
afterAll(() => {
  company.remove();
});

const BILLING = 'pipelines/agents/billing-bot.yaml';
const revisionsOf = async (path: string) =>
  (await company.owner.http.get(`/api/v1/${path}/revisions`)).body['total_count'];

/** An agent of the files, which asks with an instance of its own. */
async function asker(slug: string) {
  const instance = await createInstance(app, company.organization, slug);
  const { credential } = instance;
  return {
    ...{ slug, ...instance },
    adapter: new Adapter({ baseUrl: `${app.url}/api/aap`, credential, ledger: new Ledger() }),
    http: new HttpClient(app.url, { authorization: `Bearer ${credential}` }),
  };
}

describe('examples/configuration on an empty organization', () => {
  test('changes nothing where the secret of an endpoint would be lost or logged', async () => {
    const refused = await company.apply({ secretsFile: '' });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(' cannot be written')]);
    const unsaid = await started(['apply', company.folder], company.environment).ended;
    expect([unsaid.code, unsaid.err]).toEqual([1, expect.stringContaining('--secrets-file')]);
    expect((await company.owner.http.get('/api/v1/agents')).body['agents']).toEqual([]);
  });

  test('is finished by another apply after the first one was killed', async () => {
    const planned = await company.plan();
    expect([planned.err, planned.code]).toEqual(['', 2]);
    expect(planned.out).toContain('+ create escalation-paths/on-call');
    expect(planned.out).toContain('12 of 12 tests of rules pass.');
    const { child, ended: killed } = started(
      ['apply', company.folder, '--secrets-file', company.secrets],
      company.environment,
    );
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      if (out.includes('Done: webhook-endpoints/')) child.kill('SIGKILL');
    });
    await killed;
    const applied = await company.apply();
    expect([applied.err, applied.code]).toEqual(['', 0]);
    const again = await company.plan();
    expect([again.out, again.code]).toEqual(['12 of 12 tests of rules pass.\nNothing to do.\n', 0]);
    // What the killed one left is used, so nothing is there twice.
    expect(await revisionsOf('escalation-paths/on-call')).toBe(1);
    expect(await revisionsOf('webhook_endpoints/fraud-check')).toBe(1);
    expect(statSync(company.secrets).mode & 0o777).toBe(0o600);
    expect(readFileSync(company.secrets, 'utf8')).toMatch(
      /^\{"endpoint_key":"fraud-check","signing_secret":"whsec_[^"]+"\}\n$/,
    );
  });

  test('comes out of an export as it went in, digits included, however often it goes round', async () => {
    company.edit(
      BILLING,
      'value: 50.00',
      'value: 50.00\n          - id: exact\n            field: /request/arguments/limits\n            operator: not_in\n            value: [1.0, 1e21, 9007199254740993, 0.123456789012345678901234567890]',
    );
    company.edit(BILLING, 'arguments: { amount: 20, ', 'arguments: { limits: 1, amount: 20, ');
    company.edit(BILLING, 'arguments: { amount: 50.0, ', 'arguments: { limits: 2, amount: 50.0, ');
    expect(await company.apply()).toMatchObject({ err: '', code: 1 });
    company.edit(BILLING, 'limits: 1,', 'limits: 3,');
    expect(await company.apply()).toMatchObject({ err: '', code: 0 });
    const [first = '', second = ''] = [1, 2].map(() =>
      mkdtempSync(join(tmpdir(), 'countersign-export-')),
    );
    try {
      expect(await company.exportTo(first)).toMatchObject({ err: '', code: 0 });
      const planned = await ended((output) => plan(first, company.connection, output));
      expect([planned.err, planned.out, planned.code]).toEqual(['', 'Nothing to do.\n', 0]);
      expect(await company.exportTo(second)).toMatchObject({ err: '', code: 0 });
      const texts = textsIn(first);
      expect(textsIn(second)).toEqual(texts);
      expect(JSON.stringify(texts)).not.toContain('whsec_');
      expect(texts[BILLING]).toMatch(
        /value: 50\.00\n[^]*- 1\.0\n +- 1e21\n +- 9007199254740993\n +- 0\.123456789012345678901234567890\n/,
      );
      expect(texts['escalation-paths/on-call.yaml']).toContain(`user: ${company.people.ada.email}`);
      expect(texts['team-policies/payments.yaml']).toContain('team: Payments\n');
    } finally {
      for (const folder of [first, second]) rmSync(folder, { recursive: true });
    }
  });

  test('stays as it is in an export to its own folder: comments, short ids and tests', async () => {
    const before = textsIn(company.folder);
    expect(await company.exportTo(company.folder)).toMatchObject({ err: '', code: 0 });
    expect(textsIn(company.folder)).toEqual(before);
    company.edit('escalation-paths/on-call.yaml', 'escalate_after: 30m', 'escalate_after: 40m');
    const kept = await company.exportTo(company.folder);
    expect([kept.code, kept.out]).toEqual([1, expect.stringContaining('on-call.yaml differs')]);
    company.edit(BILLING, 'up to 50 euros', 'up to fifty euros');
    expect(await company.exportTo(company.folder, { force: true })).toMatchObject({ code: 0 });
    const path = company.read('escalation-paths/on-call.yaml');
    expect(path).toContain('id: night-duty\n');
    expect(path).toContain('escalate_after: 30m\n');
    expect(company.read(BILLING)).toContain('name: 20 euros are paid at once\n');
    expect(await company.plan()).toMatchObject({ code: 0 });
  });

  test('is not taken for empty by an export where a folder cannot be read whole', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-export-'));
    try {
      writeFileSync(join(folder, 'settings.yaml'), '# ours\nclaim_timeout: 7h\n');
      mkdirSync(join(folder, 'many'));
      for (let number = 0; number <= 10_000; number += 1)
        writeFileSync(join(folder, 'many', `${String(number)}.yaml`), '');
      const refused = await company.exportTo(folder);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('too many files')]);
      expect(readFileSync(join(folder, 'settings.yaml'), 'utf8')).toContain('# ours');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a changed rule', () => {
  test('is planned with what the last week would have been, and is applied once', async () => {
    const agent = await asker('billing-bot');
    for (const amount of [20, 40])
      await company.ask({
        agent,
        tool: 'refund_payment',
        arguments: { amount, currency: 'EUR', limits: 5 },
      });
    company.edit(BILLING, 'value: 50.00', 'value: 30.00');
    company.edit(BILLING, 'amount: 50.0\n', 'amount: 30\n');
    const planned = await company.plan();
    expect([planned.err, planned.code]).toEqual(['', 2]);
    expect(planned.out).toContain('~ change pipelines/agents/billing-bot\n');
    expect(planned.out).toContain('.value: 50.00 → 30.00\n');
    expect(planned.out).toMatch(
      /last 7 days: 0 of 2 would have had another outcome.*\n.*1 reach a block/,
    );
    expect(json(await company.plan({ json: true }))).toMatchObject({
      changes: [{ action: 'change', kind: 'pipelines', name: 'pipelines/agents/billing-bot' }],
      simulations: [{ evaluated: 2, undetermined: 1 }],
      problems: [],
    });
    const [before, applied] = [
      await revisionsOf('request-approval-pipelines/agents/billing-bot'),
      await company.apply({ json: true }),
    ];
    expect(json(applied)).toMatchObject({ done: ['pipelines/agents/billing-bot'], not_done: [] });
    expect(await company.plan()).toMatchObject({ code: 0 });
    expect(await revisionsOf('request-approval-pipelines/agents/billing-bot')).toBe(
      Number(before) + 1,
    );
  });

  test('is planned with how many requests of the last week would have had another outcome', async () => {
    const agent = await asker('support-bot');
    for (const tool of ['get_ticket', 'get_customer', 'search_tickets'])
      await company.ask({ agent, tool, arguments: {} });
    const path = 'pipelines/agents/support-bot.yaml';
    const before = company.read(path);
    company.edit(path, 'value: [get_ticket, search_tickets, get_customer]', 'value: [get_ticket]');
    const planned = await company.plan();
    company.write(path, before);
    expect([planned.err, planned.code]).toEqual(['', 2]);
    expect(planned.out).toContain(
      'support-bot, on the requests of the last 7 days: 2 of 3 would have had another outcome.\n    2: approve → human\n',
    );
    expect(await company.plan()).toMatchObject({ code: 0 });
  });

  test('is refused where a test of the folder fails, which names its line', async () => {
    company.edit(BILLING, 'value: 30.00', 'value: 10.00');
    const refused = await company.apply();
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(
      /billing-bot\.yaml:\d+:\d+: the test "20 euros are paid at once" fails: outcome is human, not approve/,
    );
    expect(refused.out).toContain('Nothing was changed.');
    company.edit(BILLING, 'value: 10.00', 'value: 30.00');
    expect(await company.plan()).toMatchObject({ code: 0 });
  });

  test('is made by one of two applies at once, and the other one says so', async () => {
    company.edit(BILLING, 'value: 30.00', 'value: 35.00');
    const service = openService(company.connection);
    const folder = await readFolder(company.folder);
    const plans = [await planOf(service, folder, []), await planOf(service, folder, [])];
    const applied: Applied[] = await Promise.all(
      plans.map(({ changes }) =>
        applyChanges(changes, { service, secrets: undefined, onDone: () => undefined }),
      ),
    );
    expect(applied.map(({ done }) => done.length).sort()).toEqual([0, 1]);
    expect(applied.find(({ stopped }) => stopped)?.stopped?.message).toMatch(
      /^Someone else changed it meanwhile: .*412/,
    );
    expect(await company.plan()).toMatchObject({ code: 0 });
  });
});

describe('what the service refuses', () => {
  test('stops an apply, which says what is done and where it stopped, and may be repeated', async () => {
    company.edit('agents/support-bot.yaml', 'Support bot', 'Support robot');
    company.edit('webhook-endpoints/fraud-check.yaml', 'https://127.0.0.1', 'https://10.0.0.1');
    company.edit('presentations/refund-payment.yaml', 'label: Account', 'label: Bank account');
    const stopped = await company.apply();
    expect([stopped.err, stopped.code]).toEqual(['', 1]);
    expect(stopped.out).toMatch(/fraud-check\.yaml:2:1: \/url /);
    expect(stopped.out).toContain('Stopped at webhook-endpoints/fraud-check: ');
    expect(stopped.out).toContain('Done: agents/support-bot.\n');
    expect(stopped.out).toContain(
      'Not done: webhook-endpoints/fraud-check, presentations/refund-payment.',
    );
    company.edit('webhook-endpoints/fraud-check.yaml', 'https://10.0.0.1', 'https://127.0.0.1');
    const repeated = await company.apply({ json: true });
    expect(json(repeated)).toMatchObject({ done: ['presentations/refund-payment'] });
    expect(await company.plan()).toMatchObject({ code: 0 });
  });

  test('names the permission that the key lacks', async () => {
    const { apiKey } = await company.person([
      'organization.read',
      'agent.read',
      'webhook.read',
      'team.read',
      'membership.read',
      'escalation_path.read',
      'pipeline.read',
      'pipeline.write',
    ]);
    company.edit('agents/support-bot.yaml', 'Support robot', 'Support bot');
    company.edit(BILLING, 'value: 35.00', 'value: 40.00');
    const planned = await company.plan({ key: apiKey });
    expect([planned.err, planned.code]).toEqual(['', 2]);
    expect(planned.out).toContain('The API key lacks the permission request.read');
    const applied = await company.apply({ key: apiKey });
    expect(applied.out).toContain(
      'Stopped at agents/support-bot: The API key lacks the permission agent.write',
    );
    expect(applied.out).toContain('Done: nothing.');
    const blind = await company.plan({ key: (await company.person([])).apiKey });
    expect([blind.code, blind.err]).toEqual([
      1,
      expect.stringContaining('The API key lacks the permission membership.read'),
    ]);
    const wrong = await company.plan({ key: 'whk_none' });
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringContaining('The API key is not accepted'),
    ]);
    expect(await company.apply()).toMatchObject({ code: 0 });
  });

  test.each([
    [
      'an unknown member',
      'escalation-paths/on-call.yaml',
      'repeat:',
      'repeated:',
      /on-call\.yaml:\d+:1: \/repeated is not a known field/,
    ],
    [
      'no for a boolean',
      'escalation-paths/on-call.yaml',
      'raise_urgency: true',
      'raise_urgency: no',
      /on-call\.yaml:\d+:\d+: \/nodes\/0\/else\/0\/raise_urgency /,
    ],
    [
      'an unknown person',
      'team-policies/payments.yaml',
      'user: member',
      'user: no-one',
      /payments\.yaml:6:9: .*no member has the email/,
    ],
    [
      'an unknown team',
      'team-policies/payments.yaml',
      'team: Payments',
      'team: Night watch',
      /payments\.yaml:1:1: \/team is no team/,
    ],
    [
      'an unknown path',
      'pipelines/organization.yaml',
      'path: on-call\nblocks',
      'path: gone\nblocks',
      /organization\.yaml:1:1: .*escalation path gone, which neither/,
    ],
    [
      'an unknown endpoint',
      BILLING,
      'endpoint_key: fraud-check',
      'endpoint_key: gone',
      /billing-bot\.yaml:\d+:\d+: .*webhook endpoint gone, which neither/,
    ],
    [
      'a level of an odd length',
      'escalation-paths/on-call.yaml',
      'escalate_after: 1h',
      'escalate_after: 1d',
      /on-call\.yaml:\d+:\d+: .*escalate_after must be a duration/,
    ],
  ])(
    '%s has its file, line and column, and nothing is changed',
    async (_what, path, from, to, wanted) => {
      const before = company.read(path);
      company.edit(path, from, to);
      const refused = await company.apply();
      company.write(path, before);
      expect([refused.err, refused.code]).toEqual(['', 1]);
      expect(refused.out).toMatch(wanted);
      expect(refused.out).toContain('Nothing was changed.');
    },
  );
});

describe('what the folder does not have', () => {
  test('stays, is named by plan, and is archived only where --prune names it', async () => {
    await company.agent('old-bot');
    await company.path('old-path', [['ada']]);
    const planned = await company.plan();
    expect(planned.code).toBe(0);
    expect(planned.out).toContain(
      'Not in the folder, and left as it is (--prune <name> archives it):\n    agents/old-bot\n    escalation-paths/old-path\n',
    );
    expect(await company.apply()).toMatchObject({ code: 0 });
    expect((await company.owner.http.get('/api/v1/agents/old-bot')).body['status']).toBe('active');
    const wrong = await company.plan({ prune: ['agents/support-bot'] });
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringContaining('--prune agents/support-bot: '),
    ]);
    const pruning = await company.plan({ prune: ['agents/old-bot'] });
    expect([pruning.code, pruning.out]).toEqual([
      2,
      expect.stringContaining('- archive agents/old-bot\n'),
    ]);
    expect(await company.apply({ prune: ['agents/old-bot'] })).toMatchObject({ code: 0 });
    expect((await company.owner.http.get('/api/v1/agents/old-bot')).body['status']).toBe(
      'archived',
    );
    expect(json(await company.apply({ prune: ['all'], json: true }))).toMatchObject({
      done: ['escalation-paths/old-path'],
    });
    expect((await company.plan()).out).not.toContain('Not in the folder');
  });

  test('comes back where a file names an archived agent, and never where it names an archived path', async () => {
    company.write('agents/old-bot.yaml', 'name: Old bot\nstatus: disabled\n');
    const planned = await company.plan();
    expect([planned.code, planned.out]).toEqual([
      2,
      expect.stringContaining('+ restore agents/old-bot\n'),
    ]);
    expect(await company.apply()).toMatchObject({ code: 0 });
    expect((await company.owner.http.get('/api/v1/agents/old-bot')).body).toMatchObject({
      name: 'Old bot',
      status: 'disabled',
    });
    company.write(
      'escalation-paths/old-path.yaml',
      'name: x\nnodes:\n  - id: a\n    type: level\n    targets: [{ broadcast: true }]\n    escalate_after: 1h\n',
    );
    const refused = await company.plan();
    expect([refused.code, refused.out]).toEqual([
      1,
      expect.stringContaining('old-path.yaml:1:1: was archived, which is for good'),
    ]);
  });
});
