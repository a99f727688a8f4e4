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
import { workflowBundlePath } from '../support/run/workflow-bundle.ts';
import { parseHistory } from './histories.ts';
import { SHAPES, type Shape } from './shapes.ts';

const SHAPE_NAMES = Object.keys(SHAPES) as Shape[];
const directory = join(packageRoot(), 'test/histories');
/** Of runs that were started before signals carried final answers. They go when `isOlder` goes. */
const OLDER = [
  'automatic',
  'cancelled',
  'decided-at-level-1',
  'decided-at-level-3',
  'expired',
  'unrouted',
] as const satisfies readonly Shape[];
type Recording = Shape | `older/${(typeof OLDER)[number]}`;
const older = (shapes: readonly (typeof OLDER)[number][]): Recording[] =>
  shapes.map((shape) => `older/${shape}` as const);
const RECORDINGS: readonly Recording[] = [...SHAPE_NAMES, ...older(OLDER)];
const textOf = (recording: Recording) => readFileSync(join(directory, `${recording}.json`), 'utf8');
const code = readFileSync(workflowBundlePath(), 'utf8');

routeSdkLogs(pino({ level: 'silent' }));
// Without a connection the SDK ends its runtime when a call of an earlier file gives up, even while a
// replay begins.
const connection = await NativeConnection.connect({
  address: process.env['TEST_TEMPORAL_ADDRESS'] ?? '',
});
afterAll(() => connection.close());

/** The histories that this bundle cannot replay. */
async function broken(workflowBundle: WorkflowBundleOption): Promise<Recording[]> {
  const histories = RECORDINGS.map((recording) => ({
    workflowId: recording,
    history: parseHistory(textOf(recording)),
  }));
  const failed: Recording[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle },
    histories,
  )) {
    if (error) failed.push(workflowId as Recording);
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
  readonly breaks: readonly Recording[];
}

const STEPPED = SHAPE_NAMES.filter((shape) => shape !== 'restarted');
const PEOPLE = STEPPED.filter((shape) => shape !== 'automatic');
const SIGNALLED = SHAPE_NAMES.filter((shape) => shape !== 'automatic' && shape !== 'expired');
const OLDER_PEOPLE = OLDER.filter((shape) => shape !== 'automatic');
const STEP = 'const result = await tryStep(run.id);';
const SHOW_PATH = 'if (shownPath !== result.path)';
const SHOW_END = 'if (isOlder && !automatic && status !== undefined)';

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
    breaks: [...STEPPED, ...older(OLDER)],
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
    breaks: [...PEOPLE, ...older(OLDER_PEOPLE)],
  },
  {
    does: 'shows the path again at each level',
    place: SHOW_PATH,
    replacement: 'if (true)',
    breaks: ['decided-at-level-3', ...older(['decided-at-level-3'])],
  },
  {
    does: 'shows no path where there is none',
    place: SHOW_PATH,
    replacement: "if (shownPath !== result.path && result.path !== 'none')",
    breaks: ['unrouted', 'expired', ...older(['expired', 'unrouted'])],
  },
  {
    does: 'looks again when a signal carries the final answer',
    place: 'run.isOlder ? undefined : statusIn(carried)',
    replacement: 'undefined',
    breaks: SIGNALLED,
  },
  {
    does: 'cancels its timer when a signal carries the final answer',
    place: 'if (run.decided === undefined)',
    replacement: 'if (true)',
    breaks: SIGNALLED,
  },
  {
    does: 'shows how a request ended',
    place: SHOW_END,
    replacement: 'if (!automatic && status !== undefined)',
    breaks: SHAPE_NAMES.filter((shape) => shape !== 'automatic'),
  },
  {
    does: 'does not show how a request ended whose run is older',
    place: SHOW_END,
    replacement: 'if (false)',
    breaks: older(OLDER_PEOPLE),
  },
];

describe('recorded histories', () => {
  test('exist for each shape', () => {
    const files = (under: string) =>
      readdirSync(join(directory, under)).filter((name) => name.endsWith('.json'));
    expect(files('.').sort()).toEqual(SHAPE_NAMES.map((shape) => `${shape}.json`).sort());
    expect(files('older/').sort()).toEqual(OLDER.map((shape) => `${shape}.json`));
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
      [...RECORDINGS].sort(),
    );
  });

  test.each(RECORDINGS)('name no machine, user or path: %s', (recording) => {
    const text = textOf(recording);
    const decoded = [...text.matchAll(/"data": "([^"]*)"/g)].map(([, data = '']) =>
      Buffer.from(data, 'base64').toString(),
    );
    for (const seen of [text, ...decoded])
      expect(seen).not.toMatch(/\d+@|\/(?:home|root|tmp|work|Users)\b|file:/);
  });
});
