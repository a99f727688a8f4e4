/** The commands of every document run, in one service, and print the answers that it shows. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BOOTSTRAP_SECRET, startApp, type TestApp } from '../support/app.ts';
import {
  startIdentityProvider,
  type IdentityProvider,
} from '../support/servers/identity-provider.ts';
import { SlackServer } from '../support/servers/slack-server.ts';
import { DOCUMENTS, fencesOf, readDocument, type Fence } from './documents.ts';
import { runSession, type SessionRun } from './session.ts';

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
