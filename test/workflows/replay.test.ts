/**
 * A new version replays the workflows that are open when it is deployed. A change that breaks one of these histories restarts
 * every open workflow. That is harmless but slow, so it must be deliberate.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { pino } from 'pino';
import { routeSdkLogs } from '../../temporal/runtime.ts';
import { workflowBundlePath } from '../support/run/workflow-bundle.ts';
import { parseHistory } from './histories.ts';
import { SHAPES, type Shape } from './shapes.ts';

const SHAPE_NAMES = Object.keys(SHAPES) as Shape[];
const directory = new URL('../histories/', import.meta.url);
const textOf = (shape: Shape) => readFileSync(new URL(`${shape}.json`, directory), 'utf8');
const code = readFileSync(workflowBundlePath(), 'utf8');

routeSdkLogs(pino({ level: 'silent' }));

/** The shapes whose histories this bundle cannot replay. */
async function broken(workflowBundle: WorkflowBundleOption): Promise<Shape[]> {
  const histories = SHAPE_NAMES.map((shape) => ({
    workflowId: shape,
    history: parseHistory(textOf(shape)),
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

const PEOPLE = SHAPE_NAMES.filter((shape) => shape !== 'automatic');
const STEP = 'const result = await tryStep(id);';
const SHOW_PATH = 'if (shownPath !== result.path)';
const SHOW_END = '!result.automatic && result.status !== undefined';

const mutants: readonly Mutant[] = [
  {
    does: 'waits before it looks',
    place: STEP,
    replacement: `await untilChanged(1000, ''); ${STEP}`,
    breaks: SHAPE_NAMES,
  },
  {
    does: 'waits before it shows the path',
    place: SHOW_PATH,
    replacement: `await untilChanged(1000, ''); ${SHOW_PATH}`,
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
    does: 'ends without showing that it expired',
    place: SHOW_END,
    replacement: `${SHOW_END} && result.status !== 'expired'`,
    breaks: ['expired'],
  },
  {
    does: 'ends without showing that it was cancelled',
    place: SHOW_END,
    replacement: `${SHOW_END} && result.status !== 'cancelled'`,
    breaks: ['cancelled'],
  },
];

describe('recorded histories', () => {
  test('exist for each shape', () => {
    expect(readdirSync(directory).sort()).toEqual(
      SHAPE_NAMES.map((shape) => `${shape}.json`).sort(),
    );
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

  test.each(SHAPE_NAMES)('name no machine, user or path: %s', (shape) => {
    const text = textOf(shape);
    const decoded = [...text.matchAll(/"data": "([^"]*)"/g)].map(([, data = '']) =>
      Buffer.from(data, 'base64').toString(),
    );
    for (const seen of [text, ...decoded])
      expect(seen).not.toMatch(/\d+@|\/(?:home|root|tmp|work|Users)\b|file:/);
  });
});
