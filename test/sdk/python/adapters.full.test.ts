/** The adapters of the Python SDK on their real frameworks, with scripted models: a call runs once with an approval, and never without one. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/local/processes.ts';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { pythonEnv, pythonExecutable } from '../../support/python.ts';
import { pythonEnvironment } from '../../support/run/python.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';

const EXAMPLES = join(packageRoot(), 'examples/gates-python');
const FRAMEWORKS = ['gate', 'openai_agents', 'langchain', 'langgraph', 'claude'] as const;
const SYNC = ['gate', 'langchain', 'langgraph'] as const;
/** All frameworks load, and Claude Code starts. The first time, nothing of them is in a cache. */
const STARTED_WITHIN_MS = 600_000;

interface Outcome {
  readonly ran: number;
  readonly told: readonly string[];
  readonly raised: string | null;
}

const { app, people, agents, decide } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;
const folder = mkdtempSync(join(tmpdir(), 'countersign-adapters-'));
const closing: (() => void)[] = [];
const described = pythonEnvironment() === undefined ? describe.skip : describe;

interface Proxy {
  readonly url: string;
  readonly close: () => void;
  readonly reopen: () => Promise<void>;
}
/** By framework and scenario. */
type Proxies = Readonly<Record<string, Readonly<Record<string, Proxy>>>>;

/** The service at another address, which goes away and comes back. */
async function proxy(): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const upstream = connect(Number(new URL(app.url).port), '127.0.0.1');
    for (const [each, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(each);
      each.on('error', () => other.destroy()).on('close', () => other.destroy());
      each.pipe(other);
    }
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  // While it is away, no other server gets this port.
  const port = await freePort();
  await listen(port);
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  closing.push(close);
  return { url: `http://127.0.0.1:${String(port)}`, close, reopen: () => listen(port) };
}

async function page(): Promise<string> {
  const server: HttpServer = createHttpServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'text/html').end('<p>approved');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

interface Held {
  readonly id: string;
  readonly framework: string;
  readonly course: string;
  readonly scenario: string;
}

/** What waits for a reviewer. The arguments of each call say what the reviewer does. */
async function waiting(): Promise<readonly Held[]> {
  const rows = await app
    .db('approval_requests')
    .where({ state: 'pending' })
    .select<{ id: string; text: string }[]>('id', app.db.raw('arguments::text as text'));
  return rows.map(({ id, text }) => {
    const [, framework = '', course = '', scenario = ''] =
      /"([a-z_]+): (approve|deny|hold) ([a-z0-9 ]+)\\?"/.exec(text) ?? [];
    return { id, framework, course, scenario };
  });
}

const heldIn = async (scenario: string): Promise<string[]> =>
  (await waiting()).filter((each) => each.scenario === scenario).map(({ id }) => id);
/** Decides what comes until the program has ended. Before it decides on a call that waits during an outage, there is one. */
async function review(program: Promise<unknown>, proxies: Proxies): Promise<void> {
  let isOver = false;
  void program.then(() => (isOver = true));
  while (!isOver) {
    for (const { id, course, scenario, framework } of await waiting()) {
      const proxy = proxies[framework]?.[scenario];
      proxy?.close();
      if (course === 'approve' || scenario === 'restart') await decide(ada, id);
      else if (course === 'deny') await decide(ada, id, { status: 'denied', note: 'Not today.' });
      if (scenario === 'restart') await proxy?.reopen();
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function python(mode: string, env: Readonly<Record<string, string>>): ChildProcess {
  const program = join(packageRoot(), 'test/sdk/python/adapters');
  const child = spawn(pythonExecutable(), [program, mode], {
    env: {
      ...pythonEnv(),
      ...{ URL: app.url, TOKEN: agents.bot.credential, FOLDER: folder },
      ...env,
      ...{ COUNTERSIGN_URL: app.url, COUNTERSIGN_TOKEN: agents.bot.credential },
    },
    // With its own group, so that what it started is killed with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.resume();
  closing.push(() => {
    kill(child);
  });
  return child;
}

function kill({ pid = 0 }: ChildProcess): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

let results: Readonly<Record<string, Readonly<Record<string, Outcome>>>> = {};

if (pythonEnvironment() !== undefined)
  beforeAll(async () => {
    const proxies = Object.fromEntries(
      await Promise.all(
        FRAMEWORKS.map(async (framework) => {
          return [framework, { killed: await proxy(), restart: await proxy() }] as const;
        }),
      ),
    );
    const urls = Object.fromEntries(
      Object.entries(proxies).map(([framework, { killed, restart }]) => [
        framework,
        { killed: killed.url, restart: restart.url },
      ]),
    );
    const env = { HTML_URL: await page(), PROXIES: JSON.stringify(urls), EXAMPLES };

    const crashing = python('crash', env);
    // A graph goes on with its request once its checkpoint is kept, which is a moment after the request.
    const checkpoints = join(folder, 'langgraph/checkpoints');
    const allWait = async () =>
      existsSync(checkpoints) && (await heldIn('crash')).length === FRAMEWORKS.length;
    await until(
      'all wait',
      async () => crashing.exitCode !== null || (await allWait()),
      STARTED_WITHIN_MS,
    );
    kill(crashing);
    for (const id of await heldIn('crash')) expect((await decide(ada, id)).status).toBe(200);

    const main = python('all', env);
    let output = '';
    let errors = '';
    main.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    main.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const ended = new Promise((resolve) => main.on('close', resolve));
    await review(ended, proxies);
    if (output === '') throw new Error(errors);
    results = JSON.parse(output) as typeof results;
    // All frameworks start in it.
  }, 1_800_000);

afterAll(() => {
  for (const close of closing) close();
  rmSync(folder, { recursive: true, force: true });
});

const outcome = (framework: string, scenario: string): Outcome =>
  results[framework]?.[scenario] ?? { ran: -1, told: [], raised: 'it is missing' };
/** What the model or the caller got. */
const said = ({ told, raised }: Outcome): string => [...told, raised ?? ''].join(' ');

described.each(FRAMEWORKS)('the adapter for %s', (framework) => {
  test('runs an approved call once', () => {
    expect(outcome(framework, 'approve')).toMatchObject({ ran: 1, raised: null });
  });

  test.each([
    ['deny', /denied this call.*Not today\./],
    ['expire', /No one approved this call in time/],
    ['wrong url', /did not respond, so this call did not run|The address is wrong/],
    ['401', /did not respond, so this call did not run|authentication/],
    ['forged', /denied this call.*Not today\./],
    ['killed', /./],
    ['abort', /./],
  ])('runs nothing: %s', (scenario, what) => {
    expect(outcome(framework, scenario)).toMatchObject({ ran: 0 });
    expect(said(outcome(framework, scenario))).toMatch(what);
  });

  test('goes on with its request while the service restarts', () => {
    expect(outcome(framework, 'restart')).toMatchObject({ ran: 1, raised: null });
  });

  test('goes on with its request after a crash, and runs it once', () => {
    expect(outcome(framework, 'crash')).toMatchObject({ ran: 1, raised: null });
    expect(outcome(framework, 'again')).toMatchObject({ ran: 0 });
    expect(said(outcome(framework, 'again'))).toMatch(/was started before and may have run/);
  });
});

described.each(SYNC)('the adapter for %s, without asyncio', (framework) => {
  test('runs an approved call, and no other', () => {
    expect(outcome(framework, 'sync approve')).toMatchObject({ ran: 1, raised: null });
    expect(outcome(framework, 'sync deny')).toMatchObject({ ran: 0 });
    expect(said(outcome(framework, 'sync deny'))).toMatch(/denied this call.*Not today\./);
  });
});

described('what no gate can hold', () => {
  test.each([
    ...[
      'a generator',
      'an async generator',
      'arguments without names',
      'an object',
      'the other client',
    ],
    ...[
      'a missing parameter',
      'an object of its own',
      'NaN',
      'a list of sessions',
      'an argument twice',
    ],
    ...['a hosted tool', 'a handoff', 'a custom tool', 'a sync client', 'no session'],
    ...[
      'a text of exempt tools',
      'a graph without a checkpointer',
      'a graph without a thread',
      'a run without a thread',
    ],
    ...['an async client in a sync run', 'a text of exempt tools of Claude'],
  ])('is refused, and does not run: %s', (what) => {
    expect(outcome('refused', what)).toMatchObject({
      ran: 0,
      raised: expect.stringMatching(/^(?:TypeError|WrongArguments): /),
    });
  });

  test('asks no one', async () => {
    const rows = await app.db('approval_requests').whereRaw(`arguments::text like '%refused%'`);
    expect(rows).toEqual([]);
  });
});

described('the hook for Claude', () => {
  test('denies in time what hangs or breaks, and takes the name of a server from a tool', () => {
    expect(outcome('shapes', 'hook').told).toEqual([
      ...['None Bash', 'None Bash', 'a__b c', 'pay refund__all'],
      ...['deny', 'deny', 'deny', 'deny', 'deny'],
    ]);
  });

  test('blocks when it fails, which a hook by hand does not', () => {
    expect(outcome('claude', 'failing')).toMatchObject({ ran: 0, raised: null });
    expect(outcome('claude', 'failing by hand')).toMatchObject({ ran: 1, raised: null });
  });
});

described('a function of which only some calls are alike', () => {
  test('gets its arguments as they are, defaults and rest included', () => {
    expect(outcome('shapes', 'all kinds').told).toEqual([
      '[1, 2, "three", {"deep": [1.5, "4.50"]}, {"rest": "x: approve shapes"}]',
    ]);
  });

  test('may be two tools of one node, which is suspended once for both', () => {
    expect(outcome('shapes', 'tool node').told).toEqual(['1', '2', 'paid 1', 'paid 2']);
  });

  test('is made a tool with its types, and hands out no way around the gate', () => {
    expect(outcome('shapes', 'below a decorator').told).toEqual(['[1.5] str']);
  });

  test('keeps every digit of a text of the model', () => {
    expect(outcome('shapes', 'digits').told).toEqual([
      '{"amount": 9007199254740993.10, "course": "x: approve shapes"}',
    ]);
  });

  test('hears nothing of a model that writes no JSON', () => {
    expect(outcome('shapes', 'no JSON')).toMatchObject({ ran: 0, raised: null });
    expect(said(outcome('shapes', 'no JSON'))).toMatch(/no JSON object/);
  });

  test('ends the run where the gate is told to', () => {
    expect(outcome('shapes', 'raise')).toMatchObject({ ran: 0 });
    expect(said(outcome('shapes', 'raise'))).toMatch(/NotApproved|denied this call/);
  });
});

test.each(readdirSync(EXAMPLES).filter((name) => name.endsWith('.py')))(
  'the example %s loads',
  (name) => {
    if (pythonEnvironment() !== undefined)
      expect(outcome('examples', name)).toMatchObject({ raised: null });
  },
);

(pythonEnvironment() === undefined ? test.skip : test)(
  'an abort withdraws the request',
  async () => {
    const rows = await app
      .db('approval_requests')
      .whereRaw(`arguments::text like '%hold abort%'`)
      .pluck<string[]>('state');
    expect(rows).toEqual(FRAMEWORKS.map(() => 'cancelled'));
  },
);
