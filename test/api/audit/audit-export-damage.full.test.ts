/** Whatever is done to an export with proof, verification finds it. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { leafOf } from '../../../src/domain/audit/chain.ts';
import { sealAll } from '../../../src/services/audit/sealer.ts';
import { scene } from '../../support/scene.ts';
import { AUDIT_KEY, record } from '../../services/audit/audit-scene.ts';
import { fileOf, KNOWN, linesOf, problemOf } from './audit-export-scene.ts';

const { app, organization, people } = await scene({
  app: { environment: { ...AUDIT_KEY, COUNTERSIGN_EDITION: 'hosted' } },
  people: { ada: ['audit.read'] },
});
await record(app.db, organization.id, { count: 6 });
await sealAll(app.context);
await record(app.db, organization.id, { count: 6, verb: 'renamed' });
await sealAll(app.context);
const exported = async (query: string): Promise<string> =>
  (await people.ada.http.get(`/api/v1/audit/export?proof=true${query}`)).text;
/** The whole log, and one with entries that show no event. */
const files = [await exported(''), await exported('&event_type=team.noted')];

const RUNS = { numRuns: 400 };
const anyFile = fc.constantFrom(...files);
const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const at = (length: number, where: number): number => Math.floor(length * where);

async function expectFound(damaged: string | Buffer): Promise<void> {
  expect(await problemOf(damaged)).not.toBe('nothing');
}

test('the files are sound before they are damaged', async () => {
  for (const file of files) expect(await problemOf(file)).toBe('nothing');
  expect(files[1]).toContain('"leaf"');
});

test('a changed byte is found', async () => {
  await fc.assert(
    fc.asyncProperty(anyFile, place, fc.integer({ min: 1, max: 255 }), async (file, where, by) => {
      const bytes = Buffer.from(file);
      const index = at(bytes.length, where);
      bytes[index] = ((bytes[index] ?? 0) + by) % 256;
      await expectFound(bytes);
    }),
    RUNS,
  );
});

test('inserted and removed bytes are found', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyFile,
      place,
      fc.uint8Array({ maxLength: 3 }),
      fc.nat(3),
      async (file, where, added, removed) => {
        const bytes = Buffer.from(file);
        const index = at(bytes.length, where);
        const damaged = Buffer.concat([
          bytes.subarray(0, index),
          added,
          bytes.subarray(index + removed),
        ]);
        fc.pre(!damaged.equals(bytes));
        await expectFound(damaged);
      },
    ),
    RUNS,
  );
});

test('a line that is removed, repeated or moved is found', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyFile,
      place,
      place,
      fc.constantFrom('remove', 'repeat', 'move'),
      async (file, one, two, how) => {
        const lines = linesOf(file);
        const [from, to] = [at(lines.length, one), at(lines.length, two)];
        const [line = ''] = how === 'repeat' ? lines.slice(from, from + 1) : lines.splice(from, 1);
        if (how !== 'remove') lines.splice(to, 0, line);
        fc.pre(fileOf(lines) !== file);
        await expectFound(fileOf(lines));
      },
    ),
    RUNS,
  );
});

test('a file that is cut off anywhere is found', async () => {
  await fc.assert(
    fc.asyncProperty(anyFile, place, async (file, where) => {
      const bytes = Buffer.from(file);
      await expectFound(bytes.subarray(0, at(bytes.length, where)));
    }),
    RUNS,
  );
});

test('an event that is hidden as if a filter had left it out is found', async () => {
  for (const file of files) {
    const lines = linesOf(file).map((line) => {
      const event = /^\{"position":(\d+),"hash":"[0-9a-f]+","event":(.*)\}$/.exec(line);
      return event?.[1] === '2'
        ? `{"position":2,"leaf":"${leafOf(event[2] ?? '').toString('hex')}"}`
        : line;
    });
    expect(await problemOf(fileOf(lines))).toMatch(/an event was removed from its entry/);
  }
});

test('the first wrong position is named', async () => {
  const [file = ''] = files;
  expect(await problemOf(file.replace('t-3', 't-9'))).toMatch(/^Position 4: the event/);
  const without = linesOf(file).filter((line) => !line.startsWith('{"position":5,'));
  expect(await problemOf(fileOf(without))).toMatch(/^Position 5 is missing/);
});

test('a signature of another key proves nothing', async () => {
  const [file = ''] = files;
  const [verifier] = KNOWN.keys.values();
  if (!verifier) throw new Error('no key');
  const others = { keys: new Map([['0123456789abcdef', verifier]]), kept: [] };
  expect(await problemOf(file, others)).toMatch(/which was not given/);
  const unsigned = linesOf(file).map((line, index) =>
    index === 0 ? line.replace(/,"key_id":"[0-9a-f]+","signature":"[0-9a-f]+"\}$/, '}') : line,
  );
  expect(await problemOf(fileOf(unsigned))).toMatch(/Line 1 is not signed/);
  // Without a key only the links are verified.
  expect(await problemOf(fileOf(unsigned), { keys: new Map(), kept: [] })).toBe('nothing');
});
