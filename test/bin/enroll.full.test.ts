/** `countersign enroll` as a process, against a running service. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../support/scene.ts';
import { HttpClient } from '../support/http.ts';
import { builtPath } from '../support/run/built.ts';
import { createAgent, createOrganization, type TestMember } from '../support/scene/factories.ts';
import { bundledHook } from '../sdk/hook/hook-process.ts';
import { deleteAttempts } from '../support/scene/sign-in.ts';

const app = await appForFile();
let owner: TestMember;
let folder: string;

beforeAll(async () => {
  const organization = await createOrganization(app);
  owner = organization.owner;
  await createAgent(app, organization, 'deploy-bot');
});

beforeEach(async () => {
  await deleteAttempts(app);
  folder = mkdtempSync(join(tmpdir(), 'countersign-enroll-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const fileIn = () => join(folder, 'credential');
const keptIn = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as { token: string };

/** The running command; `until` resolves once it has printed something that matches. */
function run(args: readonly string[], url = app.url, program = builtPath('bin/countersign.ts')) {
  const { PATH = '', HOME = '' } = process.env;
  const command = [program, 'enroll', '--url', url, ...args];
  const child = spawn(process.execPath, command, {
    env: { PATH, HOME },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [printed, complained] = ['', ''];
  let look = (): void => undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    look();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complained += chunk.toString();
  });
  const exited = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    printed,
    complained,
  }));
  const userCode = new Promise<string>((resolve, reject) => {
    look = () => {
      const found = /the code ([A-Z]{3}-[A-Z0-9]{4})/.exec(printed)?.[1];
      if (found) resolve(found);
    };
    void exited.then((end) => {
      reject(new Error(`it ended before it printed a code: ${JSON.stringify(end)}`));
    });
  });
  userCode.catch(() => undefined);
  return { child, exited, userCode };
}

const authorize = async (code: string) => {
  const path = `/api/v1/agent_enrollments/${code}/authorize`;
  const answer = await owner.browser.post(path, { agent_slug: 'deploy-bot' });
  expect(answer.status).toBe(200);
  return String(answer.body['agent_instance']?.['name']);
};

const worksFor = async (token: string) => {
  const client = new HttpClient(app.url, { authorization: `Bearer ${token}` });
  return (await client.get(`/api/aap/v1/requests/${randomUUID()}`)).status === 404;
};

async function serving(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('enroll', () => {
  test('writes the credential to a file that only this user can read', async () => {
    const { exited, userCode } = run([
      ...['--file', fileIn(), '--agent', 'deploy-bot'],
      ...['--name', 'ada-laptop', '--runtime', 'a test'],
    ]);
    const code = await userCode;
    const found = await owner.browser.get(`/api/v1/agent_enrollments/${code}`);
    expect(found.body).toMatchObject({
      runtime: 'a test',
      requested_agent_slug: 'deploy-bot',
      instance_name: 'ada-laptop',
    });
    expect(await authorize(code)).toBe('ada-laptop');
    const { code: exitCode, printed, complained } = await exited;
    expect([exitCode, complained]).toEqual([0, expect.stringMatching(/^Waiting for at most /)]);
    expect(printed).toContain(`Open ${app.url}/enroll in a browser`);
    expect(printed).toContain('This machine is ada-laptop, an instance of Agent deploy-bot');
    const kept = keptIn(fileIn());
    expect(kept).toEqual({
      ...{ url: app.url, agent: 'deploy-bot', instance: 'ada-laptop' },
      ...{ token: expect.stringMatching(/^whc_\S+$/), expires_at: expect.stringMatching(/Z$/) },
    });
    const { token } = kept;
    expect(printed + complained).not.toContain(token);
    expect(statSync(fileIn()).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['credential']);
    expect(await worksFor(token)).toBe(true);
  });

  test('is a command of the package of the hook, too, for a machine that has only that', async () => {
    const hook = bundledHook();
    const file = join(folder, 'new', 'credential');
    const args = ['--credential', file, '--agent', 'deploy-bot', '--name', 'hook-laptop'];
    const { exited, userCode } = run(args, app.url, hook.file);
    expect(await authorize(await userCode)).toBe('hook-laptop');
    const { code, printed } = await exited;
    expect([code, printed]).toEqual([0, expect.stringContaining(`Its credential is in ${file}`)]);
    expect(await worksFor(keptIn(file).token)).toBe(true);
    const again = await run(args, app.url, hook.file).exited;
    expect([again.code, again.complained]).toEqual([1, expect.stringContaining('stays as it is')]);
    hook.remove();
  });

  test('leaves a file that exists as it is, and asks no one', async () => {
    writeFileSync(fileIn(), 'precious');
    const before = await app.db('agent_enrollments').count();
    const { code, complained } = await run(['--file', fileIn()]).exited;
    expect([code, complained]).toEqual([
      1,
      `${fileIn()} exists and stays as it is. Name another file, or replace it with --force.\n`,
    ]);
    expect(readFileSync(fileIn(), 'utf8')).toBe('precious');
    expect(await app.db('agent_enrollments').count()).toEqual(before);
  });

  test('keeps the credential when the file appears meanwhile, and says where it is', async () => {
    const { exited, userCode } = run(['--file', fileIn(), '--name', 'late-file']);
    const code = await userCode;
    writeFileSync(fileIn(), 'precious');
    await authorize(code);
    const { code: exitCode, complained } = await exited;
    const draft = /The credential is in (\S+)\.\n/.exec(complained)?.[1] ?? '';
    expect([exitCode, readFileSync(fileIn(), 'utf8')]).toEqual([1, 'precious']);
    expect(await worksFor(keptIn(draft).token)).toBe(true);
  });

  test('replaces the file with --force, and only once it has the credential', async () => {
    writeFileSync(fileIn(), 'old', { mode: 0o644 });
    const { exited, userCode } = run(['--file', fileIn(), '--force', '--name', 'forced']);
    const code = await userCode;
    expect(readFileSync(fileIn(), 'utf8')).toBe('old');
    await authorize(code);
    expect((await exited).code).toBe(0);
    expect(keptIn(fileIn()).token).toMatch(/^whc_/);
    expect(statSync(fileIn()).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['credential']);
  });

  test('stops on a signal and leaves nothing behind', async () => {
    const { child, exited, userCode } = run(['--file', fileIn()]);
    await userCode;
    child.kill('SIGTERM');
    const { code, complained } = await exited;
    expect([code, complained]).toEqual([
      130,
      expect.stringContaining('No credential was written.'),
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('says what is wrong with its options, before a person is asked', async () => {
    const [slug, missing] = await Promise.all([
      run(['--file', fileIn(), '--agent', 'No Slug']).exited,
      run(['--file', join(folder, 'missing/credential')]).exited,
    ]);
    expect([slug.code, slug.complained]).toEqual([
      1,
      expect.stringMatching(/refused \(400\): [^]*\/requested_agent_slug must /),
    ]);
    expect([missing.code, missing.complained]).toEqual([
      1,
      expect.stringMatching(/cannot be written: ENOENT/),
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('says when nothing answers, or something else', async () => {
    const other = await serving((_request, response) => {
      response.writeHead(201).end('<!doctype html>');
    });
    const [nothing, { code, complained }] = await Promise.all([
      run(['--file', fileIn()], 'http://127.0.0.1:1').exited,
      run(['--file', fileIn()], other.url).exited,
    ]);
    await other.close();
    expect([nothing.code, nothing.complained]).toEqual([
      1,
      expect.stringMatching(/does not answer: .*Is the service running\?\n$/),
    ]);
    expect([code, complained]).toEqual([1, `${other.url} does not answer as Countersign does.\n`]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('keeps asking through failures until the code expires, then has an exit code of its own', async () => {
    const server = await serving((request, response) => {
      const now = Date.now();
      response.setHeader('date', new Date(now).toUTCString());
      if (request.url === '/auth/agent_enrollments/token') return response.writeHead(503).end();
      const codes = { enrollment_code: 'whe_1', user_code: 'ABC-2345' };
      // The header has whole seconds, so up to one more passes.
      const expires_at = new Date(now + 1_000).toISOString();
      return response
        .writeHead(201)
        .end(
          JSON.stringify({ ...codes, verification_uri: 'https://c.example/enroll', expires_at }),
        );
    });
    const { code, complained } = await run(['--file', fileIn()], server.url).exited;
    await server.close();
    expect(code).toBe(75);
    expect(complained).toContain('Still trying: the answer 503 says nothing more');
    expect(complained).toContain('The code has expired and was not authorized.');
    expect(readdirSync(folder)).toEqual([]);
  });
});
