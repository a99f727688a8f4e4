/** Recipes of docs/contributing, followed in a copy of the repository: a toy operator and a toy channel, added as the pages say. */
import { rmSync } from 'node:fs';
import { afterAll, expect, test } from '@jest/globals';
import { copyRepository, runIn } from './copies.ts';
import { applyDifference } from './differences.ts';
import { fencesOf, readDocument } from './documents.ts';

const RECIPES = ['condition-operator', 'notification-channel-kind'];
const JEST = 'npm run jest -- ';

const copy = copyRepository();
afterAll(() => {
  rmSync(copy, { recursive: true, force: true });
});

const fences = RECIPES.flatMap((name) => fencesOf(readDocument(`docs/contributing/${name}.md`)));

/** Both recipes share a run of each. Tests come last, when everything is generated. */
function commandsOf(): readonly string[] {
  const lines = fences
    .filter(({ language, mark }) => language === 'sh' && mark === 'not-run=starts')
    .flatMap(({ text }) => text.split('\n'));
  const tests = lines.filter((line) => line.startsWith(JEST));
  const others = new Set(lines.filter((line) => !line.startsWith(JEST)));
  // The schema comes before what is compiled, and the description of the API before its types.
  const order = ['npm run openapi', 'npm run schema', 'npm run types'];
  expect([...others].sort()).toEqual([...order].sort());
  const paths = tests.map((line) => line.slice(JEST.length)).join(' ');
  return [...order, `${JEST}${paths} --no-coverage`];
}

test('what two recipes add compiles, and passes the tests that they name', async () => {
  for (const { language, mark, text } of fences)
    if (language === 'diff' && mark === 'example') applyDifference(copy, text);
  for (const command of commandsOf()) {
    const [code, printed] = await runIn(copy, command);
    expect([command, code, code === 0 ? '' : printed]).toEqual([command, 0, '']);
  }
}, 1_800_000);
