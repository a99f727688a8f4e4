/**
 * A new version replays the workflows that are open when it is deployed. A change that breaks one of these histories restarts
 * every open workflow. That is harmless but slow, so it must be deliberate.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { NativeConnection, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { pino } from 'pino';
import { packageRoot } from '../../src/platform/package-root.ts';
import { routeSdkLogs } from '../../temporal/runtime.ts';
import { WORKFLOW_BUNDLE } from '../support/run/built.ts';
import { parseHistory } from './histories.ts';
import { SHAPES, type Shape } from './shapes.ts';

const SHAPE_NAMES = Object.keys(SHAPES) as Shape[];
const directory = join(packageRoot(), 'test/histories');
const textOf = (recording: Shape) => readFileSync(join(directory, `${recording}.json`), 'utf8');
const code = readFileSync(WORKFLOW_BUNDLE, 'utf8');

routeSdkLogs(pino({ level: 'silent' }));
// Without a connection the SDK ends its runtime when a call of an earlier file gives up, even while a
// replay begins.
const connection = await NativeConnection.connect({
  address: process.env['TEST_TEMPORAL_ADDRESS'] ?? '',
});
afterAll(() => connection.close());

/** The histories that this bundle cannot replay. */
async function broken(workflowBundle: WorkflowBundleOption): Promise<Shape[]> {
  const histories = SHAPE_NAMES.map((recording) => ({
    workflowId: recording,
    history: parseHistory(textOf(recording)),
  }));
  const failed: Shape[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle },
    histories,
  )) {
    if (error) failed.push(workflowId as Shape);
  }
  return failed;
}

/** The bundle with one place of the workflow replaced. */
function mutated(place: string, replacement: string): WorkflowBundleOption {
  const parts = code.split(place);
  if (parts.length !== 2)
    throw new Error(`the bundle has ${parts.length - 1} places that read: ${place}`);
  return { code: parts.join(replacement) };
}

interface Mutant {
  /** What this version of the workflow does. */
  readonly does: string;
  readonly place: string;
  readonly replacement: string;
  readonly breaks: readonly Shape[];
}

const STEPPED = SHAPE_NAMES.filter((shape) => shape !== 'restarted');
const PEOPLE = STEPPED.filter((shape) => shape !== 'automatic');
const SIGNALLED = SHAPE_NAMES.filter((shape) => shape !== 'automatic' && shape !== 'expired');
const STEP = 'const result = await tryStep(run.id);';
const SHOW_PATH = 'if (shownPath !== result.path)';

const mutants: readonly Mutant[] = [
  {
    does: 'makes a step of its own behind a block that asked another system',
    place: 'const result = remote ? await askBlock(run, remote) : await lookAgain(run);',
    replacement: 'if (remote) await askBlock(run, remote); const result = await lookAgain(run);',
    breaks: ['asked-another-system'],
  },
  {
    does: 'waits before it looks',
    place: STEP,
    replacement: `await untilChanged(run, 1000, ''); ${STEP}`,
    breaks: STEPPED,
  },
  {
    does: 'looks although it was started waiting',
    place: 'if (wait)',
    replacement: 'if (false)',
    breaks: ['restarted'],
  },
  {
    does: 'waits before it shows the path',
    place: SHOW_PATH,
    replacement: `await untilChanged(run, 1000, ''); ${SHOW_PATH}`,
    breaks: PEOPLE,
  },
  {
    does: 'shows the path again at each level',
    place: SHOW_PATH,
    replacement: 'if (true)',
    breaks: ['decided-at-level-3'],
  },
  {
    does: 'shows no path where there is none',
    place: SHOW_PATH,
    replacement: "if (shownPath !== result.path && result.path !== 'none')",
    breaks: ['unrouted', 'expired'],
  },
  {
    does: 'looks again when a signal carries the final answer',
    place: 'statusIn(carried);',
    replacement: 'undefined;',
    breaks: SIGNALLED,
  },
  {
    does: 'cancels its timer when a signal carries the final answer',
    place: 'if (run.decided === undefined)',
    replacement: 'if (true)',
    breaks: SIGNALLED,
  },
];

describe('recorded histories', () => {
  test('exist for each shape', () => {
    const files = (under: string) =>
      readdirSync(join(directory, under)).filter((name) => name.endsWith('.json'));
    expect(files('.').sort()).toEqual(SHAPE_NAMES.map((shape) => `${shape}.json`).sort());
  });

  test('replay on the current workflow', async () => {
    expect(await broken({ code })).toEqual([]);
  });

  test.each(mutants)(
    'fail to replay when the workflow $does',
    async ({ place, replacement, breaks }) => {
      expect(await broken(mutated(place, replacement))).toEqual(breaks);
    },
  );

  test('each have a mutant that breaks them', () => {
    expect([...new Set(mutants.flatMap(({ breaks }) => breaks))].sort()).toEqual(
      [...SHAPE_NAMES].sort(),
    );
  });

  test.each(SHAPE_NAMES)('name no machine, user or path: %s', (recording) => {
    const text = textOf(recording);
    const decoded = [...text.matchAll(/"data": "([^"]*)"/g)].map(([, data = '']) =>
      Buffer.from(data, 'base64').toString(),
    );
    for (const seen of [text, ...decoded])
      expect(seen).not.toMatch(/\d+@|\/(?:home|root|tmp|work|Users)\b|file:/);
  });
});
