/**
 * Every block of every document is checked: commands run, answers match, files are accepted,
 * excerpts are in the code.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';
import { BOOTSTRAP_SECRET, startApp, type TestApp } from '../support/app.ts';
import {
  startIdentityProvider,
  type IdentityProvider,
} from '../support/servers/identity-provider.ts';
import { SlackServer } from '../support/servers/slack-server.ts';
import { faultOfDifference } from './differences.ts';
import { DOCUMENTS, fencesOf, readDocument, type Fence } from './documents.ts';
import { runSession, type SessionRun } from './session.ts';

/** Reasons to leave out a block of commands. Each such block names one of them. */
const NOT_RUN = {
  starts: 'starts the service or its tests, as this run has done already',
  docker: 'needs Docker',
  kubernetes: 'needs a cluster',
  operator: 'changes how a deployment runs, which the tests of bin/ try with real processes',
  slack: 'is typed in Slack',
  'coding-agent': 'changes the settings of a coding agent, which the tests of sdk/hook try',
} as const;

/** Blocks that are shown, not run. */
const SHOWN = ['text diagram', 'text message'];

const QUICKSTART = 'docs/quickstart.md';

interface Answer {
  readonly fence: Fence;
  /** The commands that it answers. */
  readonly line: number;
}

/** The answers of a document, each with the commands right before it. */
function answersOf(fences: readonly Fence[]): Answer[] {
  return fences.flatMap((fence, index) => {
    if (fence.mark !== 'answer') return [];
    return [{ fence, line: fences[index - 1]?.line ?? 0 }];
  });
}

const isRun = ({ language, mark }: Fence) => language === 'sh' && mark === '';

/** A block or a member of an answer that is written as `…` matches anything. */
function matching(shown: unknown): unknown {
  if (shown === '…') return expect.anything();
  if (typeof shown === 'string' && shown.includes('…'))
    return expect.stringMatching(patternOf(shown));
  if (Array.isArray(shown)) return shown.map(matching);
  if (typeof shown !== 'object' || shown === null) return shown;
  const members = Object.entries(shown).map(([key, value]) => [key, matching(value)] as const);
  return expect.objectContaining(Object.fromEntries(members));
}

function patternOf(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** JSON is compared with the last line as values; text line by line with the last lines. */
function expectAnswer(output: string, { language, text }: Fence): void {
  const printed = output.split('\n');
  if (language === 'json') {
    expect(JSON.parse(printed.at(-1) ?? '')).toEqual(matching(JSON.parse(text)));
    return;
  }
  const shown = text.split('\n');
  expect(printed.slice(-shown.length)).toEqual(shown.map(matching));
}

/**
 * True when the file contains it, as code or as an example in a comment, whatever the gap before a
 * comment. In the file it may stand in a function, two or four spaces further in.
 */
function isIn(source: string, text: string): boolean {
  const squeezed = (code: string): string => code.replaceAll(/ +\/\//g, ' //');
  const file = squeezed(readFileSync(join(packageRoot(), source), 'utf8'));
  const files = [file, file.replaceAll(/^ \* {5}/gm, '')];
  return ['', '  ', '    '].some((indent) => {
    const indented = squeezed(text).replaceAll(/^(?=.)/gm, indent);
    return files.some((code) => code.includes(indented));
  });
}

/** The fault of a block, if any. */
function complaint(
  fence: Fence,
  { before, after }: { before: Fence | undefined; after: readonly Fence[] },
): string | undefined {
  const { language, mark } = fence;
  if (isRun(fence)) return undefined;
  if (SHOWN.includes(`${language} ${mark}`)) return undefined;
  if (language === 'diff' && mark === 'example') return faultOfDifference(fence.text);
  const [, reason] = /^not-run=(.+)$/.exec(mark) ?? [];
  if (reason !== undefined && language === 'sh')
    return reason in NOT_RUN ? undefined : `${reason} is no reason to leave out a block`;
  if (mark === 'answer')
    return before && isRun(before) ? undefined : 'an answer must follow its commands';
  const [, file] = /^file=([\w.-]+)$/.exec(mark) ?? [];
  if (file !== undefined)
    return after.some((next) => isRun(next) && next.text.includes(file))
      ? undefined
      : `no command after it uses ${file}`;
  const [, source] = /^from=([\w./-]+)$/.exec(mark) ?? [];
  if (source !== undefined)
    return isIn(source, fence.text) ? undefined : `${source} does not contain it`;
  return 'it is neither run nor marked';
}

describe('every block of', () => {
  test.each(DOCUMENTS)('%s is run, compared with something, or marked with a reason', (name) => {
    const fences = fencesOf(readDocument(name));
    const wrong = fences.flatMap((fence, index) => {
      const found = complaint(fence, {
        before: fences[index - 1],
        after: fences.slice(index + 1),
      });
      return found === undefined
        ? []
        : [`${name}:${fence.line} ${fence.language} ${fence.mark}: ${found}`];
    });
    expect(wrong).toEqual([]);
  });

  test.each([
    ['commands with an unknown mark', 'sh later'],
    ['commands with an unknown reason', 'sh not-run=tired'],
    ['a document that no command uses', 'json file=unused.json'],
    ['a document without a mark', 'json'],
    ['an answer without commands', 'json answer'],
    ['code that is in no file', 'ts from=package.json'],
  ])('a document would be refused with %s', (_what, info) => {
    const [fence] = fencesOf(`\`\`\`${info}\nx\u0000\n\`\`\``);
    expect(fence && complaint(fence, { before: undefined, after: [] })).toEqual(expect.any(String));
  });

  test.each([
    ['without a file', '@@\n "private": true,'],
    ['of a file that does not exist', '--- gone.json\n+++ gone.json\n {'],
    [
      'of lines that the file no longer has',
      '--- package.json\n+++ package.json\n {\n   "gone": 1',
    ],
    ['that removes what is not there', '--- package.json\n+++ package.json\n {\n-  "gone": 1'],
    ['of a new file in no folder', '--- /dev/null\n+++ gone/new.ts\n+x'],
  ])('a difference %s would be refused', (_what, text) => {
    expect(faultOfDifference(text)).toEqual(expect.any(String));
  });

  test('a difference that applies is accepted', () => {
    const added = '--- package.json\n+++ package.json\n {\n+  "new": 1,\n   "name": "countersign",';
    expect(faultOfDifference(`${added}\n--- /dev/null\n+++ test/docs/new.ts\n+x`)).toBeUndefined();
  });
});

describe('against a running service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-docs-'));
  const runs = new Map<string, SessionRun>();
  const slack = new SlackServer();
  let provider: IdentityProvider;
  let app: TestApp;

  /** One service for all. The quickstart runs first, and the other documents use its variables. */
  const inOrder = [QUICKSTART, ...DOCUMENTS.filter((name) => name !== QUICKSTART)].filter((name) =>
    fencesOf(readDocument(name)).some(isRun),
  );

  beforeAll(async () => {
    await slack.start();
    provider = await startIdentityProvider();
    app = await startApp({
      temporal: true,
      environment: {
        ...slack.environment,
        ...provider.environment,
        COUNTERSIGN_EDITION: 'hosted',
        COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
        COUNTERSIGN_AUDIT_KEY: randomBytes(32).toString('base64'),
      },
    });
    await provider.register(app.url);
    const { botToken, signingSecret } = slack.addWorkspace();
    const environment = { SLACK_BOT_TOKEN: botToken, SLACK_SIGNING_SECRET: signingSecret };
    mkdirSync(join(folder, '.countersign'));
    writeFileSync(join(folder, '.countersign/bootstrap-secret'), BOOTSTRAP_SECRET);
    for (const name of inOrder)
      runs.set(
        name,
        await runSession(fencesOf(readDocument(name)), {
          folder,
          url: app.url,
          environment,
          keep: name === QUICKSTART,
        }),
      );
    // All documents run in it.
  }, 900_000);

  afterAll(async () => {
    await app.close();
    await provider.close();
    await slack.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(inOrder)('%s: every command succeeds', (name) => {
    const { code, errors, outputs } = runs.get(name) ?? {
      code: null,
      errors: 'did not run',
      outputs: new Map<number, string>(),
    };
    const last = fencesOf(readDocument(name)).find(
      (fence) => isRun(fence) && !outputs.has(fence.line),
    );
    expect({ code, errors, stoppedAt: last?.line }).toEqual({
      code: 0,
      errors: '',
      stoppedAt: undefined,
    });
  });

  const answers = inOrder.flatMap((name) =>
    answersOf(fencesOf(readDocument(name))).map((answer) => ({
      name,
      at: answer.fence.line,
      answer,
    })),
  );
  test.each(answers)('$name:$at shows the real answer', ({ name, answer }) => {
    expectAnswer(runs.get(name)?.outputs.get(answer.line) ?? '', answer.fence);
  });
});
