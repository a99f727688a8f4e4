/** `countersign enroll`: makes this machine an instance of an agent, with a person's consent. */
import { constants } from 'node:fs';
import { copyFile, lstat, open, rename, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Config } from '../src/platform/config.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { describeFailure } from './describe-failure.ts';
import { listenForStop } from './stopping.ts';

/** The codes expired before a person authorized them: the same command can succeed later. */
const EXIT_EXPIRED = 75;
const EXIT_STOPPED = 130;
const POLL_MS = 3_000;

export interface EnrollOptions {
  /** The file for the credential. */
  readonly file: string;
  /** Replaces a file that exists. */
  readonly force?: boolean;
  /** The address of the service. Default: COUNTERSIGN_PUBLIC_URL. */
  readonly url?: string;
  readonly agent?: string;
  /** Default: the name of this machine. */
  readonly name?: string;
  readonly runtime: string;
}

const startedSchema = z.object({
  enrollment_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  expires_at: z.coerce.date(),
});
type Started = z.output<typeof startedSchema>;

const enrolledSchema = z.object({
  agent: z.object({ slug: z.string(), name: z.string() }),
  agent_instance: z.object({ name: z.string() }),
  credential: z.object({ token: z.string(), expires_at: z.string() }),
});
type Enrolled = z.output<typeof enrolledSchema>;

const refusalSchema = z.object({
  error: z.object({
    message: z.string(),
    details: z
      .object({ issues: z.array(z.object({ pointer: z.string(), message: z.string() })) })
      .optional()
      .catch(undefined),
  }),
});

/** Resolves with the exit code. Throws OperatorError. */
export async function enroll(config: Config, options: EnrollOptions): Promise<number> {
  const url = (options.url ?? config.publicUrl)?.replace(/\/+$/, '');
  if (url === undefined)
    throw new OperatorError('PORT is 0: say where the service answers with --url.');
  const stop = listenForStop({ onForce: () => process.exit(EXIT_STOPPED), watchParent: false });
  const file = await reserve(options);
  try {
    const { started, lifetimeMs } = await start(url, options);
    console.log(
      `Open ${started.verification_uri} in a browser and enter the code ${started.user_code}.`,
    );
    const enrolled = await waitForCredential(url, { started, lifetimeMs, signal: stop.signal });
    if (!enrolled) {
      console.error('The code has expired and was not authorized. Run the command again.');
      return EXIT_EXPIRED;
    }
    await file.write(`${JSON.stringify(keptOf(url, enrolled), undefined, 2)}\n`);
    console.log(
      `This machine is ${enrolled.agent_instance.name}, an instance of ${enrolled.agent.name} (${enrolled.agent.slug}).`,
    );
    console.log(
      `Its credential is in ${options.file} and works until ${enrolled.credential.expires_at}.`,
    );
    return 0;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    console.error('Stopped. No credential was written.');
    return EXIT_STOPPED;
  } finally {
    await file.release();
  }
}

/** What an adapter needs: where to ask, and with which token. */
function keptOf(url: string, { agent, agent_instance: instance, credential }: Enrolled) {
  const { token, expires_at } = credential;
  return { url, token, agent: agent.slug, instance: instance.name, expires_at };
}

/**
 * A draft beside the file, which only this user can read. So a folder that cannot be written to is
 * known before a person is asked.
 */
async function reserve({ file, force = false }: EnrollOptions) {
  if (!force && (await lstat(file).catch(() => undefined)))
    throw new OperatorError(
      `${file} exists and stays as it is. Name another file, or replace it with --force.`,
    );
  const path = `${file}.${randomBytes(6).toString('hex')}`;
  const draft = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new OperatorError(`${file} cannot be written: ${describeFailure(error)}.`);
  });
  let isNeeded = false;
  return {
    write: async (text: string): Promise<void> => {
      await draft.writeFile(text);
      await draft.sync();
      const move = force ? rename(path, file) : copyFile(path, file, constants.COPYFILE_EXCL);
      await move.catch((error: unknown) => {
        isNeeded = true;
        throw new OperatorError(
          `${file} cannot be written: ${describeFailure(error)}. The credential is in ${path}.`,
        );
      });
    },
    release: async (): Promise<void> => {
      await draft.close();
      if (!isNeeded) await rm(path, { force: true });
    },
  };
}

async function start(
  url: string,
  { agent, name = hostname(), runtime }: EnrollOptions,
): Promise<{ readonly started: Started; readonly lifetimeMs: number }> {
  const response = await post(`${url}/auth/agent_enrollments`, {
    runtime,
    instance_name: name,
    ...(agent !== undefined && { requested_agent_slug: agent }),
  }).catch((error: unknown) => {
    throw new OperatorError(
      `${url} does not answer: ${describeFailure(error)}. Is the service running?`,
    );
  });
  if (response.status !== 201)
    throw new OperatorError(`${url} refused (${response.status}): ${messageOf(response)}`);
  const started = startedSchema.safeParse(response.body);
  if (!started.success) throw new OperatorError(`${url} does not answer as Countersign does.`);
  // By the clock of the service, because this machine's may be wrong.
  const now = response.date ?? Date.now();
  return { started: started.data, lifetimeMs: started.data.expires_at.getTime() - now };
}

interface Waiting {
  readonly started: Started;
  readonly lifetimeMs: number;
  readonly signal: AbortSignal;
}

/** Undefined once the codes have expired. A failed call is repeated until then. */
async function waitForCredential(
  url: string,
  { started, lifetimeMs, signal }: Waiting,
): Promise<Enrolled | undefined> {
  const body = { enrollment_code: started.enrollment_code };
  const ends = performance.now() + lifetimeMs;
  const countdown = showCountdown(ends);
  try {
    while (performance.now() < ends) {
      const response = await post(`${url}/auth/agent_enrollments/token`, body, signal).catch(
        (error: unknown) => ({ status: 0, body: { error: { message: describeFailure(error) } } }),
      );
      if (response.status === 200) return enrolledSchema.parse(response.body);
      if (response.status !== 404) countdown.say(`Still trying: ${messageOf(response)}`);
      await delay(POLL_MS, undefined, { signal });
    }
    return undefined;
  } finally {
    countdown.end();
  }
}

/** Counts down on a terminal. Elsewhere it says once how long it waits. Repeats no message. */
function showCountdown(ends: number) {
  const left = (): string => {
    const seconds = Math.max(0, Math.ceil((ends - performance.now()) / 1_000));
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  };
  const { isTTY } = process.stderr;
  const show = (): void => {
    process.stderr.write(`\rWaiting, ${left()} left. `);
  };
  const timer = isTTY ? setInterval(show, 1_000) : undefined;
  if (isTTY) show();
  else process.stderr.write(`Waiting for at most ${left()} minutes.\n`);
  let said = '';
  return {
    say: (message: string): void => {
      if (message === said) return;
      said = message;
      process.stderr.write(`${isTTY ? '\n' : ''}${message}\n`);
    },
    end: (): void => {
      clearInterval(timer);
      if (isTTY) process.stderr.write('\n');
    },
  };
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
  /** The clock of the service. */
  readonly date?: number | undefined;
}

const CALL_MS = 30_000;

async function post(url: string, body: unknown, signal?: AbortSignal): Promise<Reply> {
  const late = AbortSignal.timeout(CALL_MS);
  const response = await fetch(new URL(url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: signal ? AbortSignal.any([signal, late]) : late,
  });
  const text = await response.text();
  const date = Date.parse(response.headers.get('date') ?? '');
  return { status: response.status, body: parse(text), ...(!Number.isNaN(date) && { date }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf({ status, body }: Reply): string {
  const refusal = refusalSchema.safeParse(body);
  if (!refusal.success) return `the answer ${status} says nothing more`;
  const { message, details } = refusal.data.error;
  const issues = (details?.issues ?? []).map((issue) => `${issue.pointer} ${issue.message}`);
  return [message, ...issues].join('\n');
}
