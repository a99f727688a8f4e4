/** The verifier in Python, which was written from the guide alone, agrees with ours on a real export and on what damages it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { listCheckpoints } from '../../src/data/audit/checkpoints.ts';
import { insertAuditEvents } from '../../src/data/audit/events.ts';
import { checkpointBytes } from '../../src/domain/audit/checkpoints.ts';
import { SYSTEM } from '../../src/domain/audit/events.ts';
import { checkpointLine } from '../../src/domain/audit/export.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { sealAll } from '../../src/services/audit/sealer.ts';
import { AUDIT_KEY, minutesAhead, record } from '../services/audit/audit-scene.ts';
import { execute, pythonExecutable } from '../support/python.ts';
import { pythonEnvironment } from '../support/run/python.ts';
import { scene } from '../support/scene.ts';

const { app, organization, people } = await scene({
  app: { environment: { ...AUDIT_KEY, COUNTERSIGN_EDITION: 'hosted' } },
  people: { ada: ['audit.read'] },
});
const { db, context } = app;
const withPython = pythonEnvironment() === undefined ? test.skip : test;
const folder = mkdtempSync(join(tmpdir(), 'countersign-verifier-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const put = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

for (let round = 1; round <= 3; round += 1) {
  await record(db, organization.id, { count: 4 });
  await insertAuditEvents(db, organization.id, {
    events: [{ eventType: 'team.created', actor: SYSTEM, subjectId: 't', data: { a: 'x\r\ny' } }],
  });
  // Stored data of other writers may have line breaks between its tokens.
  await db.raw(
    `insert into audit_events (id, organization_id, event_type, actor_type, subject_type, subject_id, data, occurred_at)
     values (gen_random_uuid(), ?, 'team.noted', 'system', 'team', 't', E'{\\r\\n "a":\\n1}', clock_timestamp())`,
    [organization.id],
  );
  await sealAll(context, { floor: minutesAhead(round * 2) });
}
const keys = put('keys.json', (await app.http.get('/.well-known/countersign-audit-keys')).text);
const exported = async (query = ''): Promise<string> =>
  (await people.ada.http.get(`/api/v1/audit/export?proof=true${query}`)).text;
const whole = await exported();
const [newest] = await listCheckpoints(db, organization.id, { before: undefined, limit: 1 });
if (!newest) throw new Error('no checkpoint');

const verifier = join(packageRoot(), 'examples/audit-verifier/verify.py');
const run = async (text: string, kept: readonly string[] = []) =>
  await execute(pythonExecutable(), [verifier, put('audit.ndjson', text), keys, ...kept]);

withPython('a real export is whole, with filters and with a checkpoint that was kept', async () => {
  const kept = [put('kept.ndjson', `Hello,\n${checkpointLine(newest)}\n`)];
  for (const text of [whole, await exported('&event_type=team.created')])
    expect(await run(text, kept)).toEqual({
      code: 0,
      output: expect.stringMatching(/^Whole: positions 1 to \d+, \d+ events, 3 checkpoints\.\n$/),
    });
});

const lines = whole.split('\n').slice(0, -1);
const checkpointAt = lines.findIndex((line) => line.startsWith('{"checkpoint"'));
const without = (index: number): string =>
  lines
    .filter((_line, at) => at !== index)
    .map((line) => `${line}\n`)
    .join('');

withPython.each([
  ['a changed event', whole.replace('"t-2"', '"t-9"'), /the event is not the one/],
  ['a missing entry', without(3), /Position 3 is missing/],
  ['a missing checkpoint', without(checkpointAt), /should have number 1/],
  ['a file that is cut off', whole.slice(0, -1), /does not end with a line feed/],
  [
    'a changed first line',
    whole.replace('"filters":{}', '"filters":{"q":"x"}'),
    /first line does not/,
  ],
])('%s is named', async (_what, text, problem) => {
  const { code, output } = await run(text);
  expect([code, output]).toEqual([1, expect.stringMatching(problem)]);
});

withPython('a chain that was replaced is found by what was kept', async () => {
  const { auditKey } = context;
  const claim = { ...newest, hash: Buffer.alloc(32, 1) };
  const signature = auditKey?.sign(checkpointBytes(claim)) ?? Buffer.alloc(64);
  const kept = put('other.ndjson', `${checkpointLine({ ...claim, signature })}\n`);
  const { code, output } = await run(whole, [kept]);
  expect([code, output]).toEqual([1, expect.stringMatching(/another checkpoint of number 3/)]);
});
