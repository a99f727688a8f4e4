/** Makes this machine an instance of an agent, with a person's consent: `countersign enroll` and `countersign-hook enroll`. */
import { constants } from 'node:fs';
import { copyFile, lstat, open, rename, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { send } from './connection.ts';
import { addressOf } from './http.ts';

/** The codes expired before a person authorized them: the same command can succeed later. */
const EXIT_EXPIRED = 75;
const EXIT_STOPPED = 130;
const POLL_MS = 3_000;

/** What a person can fix. The message is printed as it is. */
export class EnrollError extends Error {}

export interface EnrollOptions {
  /** The file for the credential. */
  readonly file: string;
  /** Replaces a file that exists. */
  readonly force?: boolean | undefined;
  readonly url: string;
  readonly agent?: string | undefined;
  /** Default: the name of this machine. */
  readonly name?: string | undefined;
  readonly runtime: string;
}

interface Started {
  readonly enrollment_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly expires_at: string;
}

interface Enrolled {
  readonly agent: { readonly slug: string; readonly name: string };
  readonly agent_instance: { readonly name: string };
  readonly credential: { readonly token: string; readonly expires_at: string };
}

/** Resolves with the exit code. Throws EnrollError. Aborting the signal stops it. */
export async function enroll(options: EnrollOptions, signal: AbortSignal): Promise<number> {
  const url = addressOf(options.url);
  const file = await reserve(options);
  try {
    const { started, lifetimeMs } = await start(url, options);
    say(`Open ${started.verification_uri} in a browser and enter the code ${started.user_code}.`);
    const enrolled = await waitForCredential(url, { started, lifetimeMs, signal });
    if (!enrolled) {
      complain('The code has expired and was not authorized. Run the command again.');
      return EXIT_EXPIRED;
    }
    await file.write(`${JSON.stringify(keptOf(url, enrolled), undefined, 2)}\n`);
    say(
      `This machine is ${enrolled.agent_instance.name}, an instance of ${enrolled.agent.name} (${enrolled.agent.slug}).`,
    );
    say(`Its credential is in ${options.file} and works until ${enrolled.credential.expires_at}.`);
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    complain('Stopped. No credential was written.');
    return EXIT_STOPPED;
  } finally {
    await file.release();
  }
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const complain = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** What an adapter needs: where to ask, and with which token. */
function keptOf(url: string, { agent, agent_instance: instance, credential }: Enrolled) {
  const { token, expires_at } = credential;
  return { url, token, agent: agent.slug, instance: instance.name, expires_at };
}

/**
 * A draft next to the file, which only this user can read. So a folder that cannot be written to is
 * known before a person is asked.
 */
async function reserve({ file, force = false }: EnrollOptions) {
  if (!force && (await lstat(file).catch(() => undefined)))
    throw new EnrollError(
      `${file} exists and stays as it is. Name another file, or replace it with --force.`,
    );
  const path = `${file}.${randomBytes(6).toString('hex')}`;
  const draft = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new EnrollError(`${file} cannot be written: ${described(error)}.`);
  });
  let isNeeded = false;
  return {
    write: async (text: string): Promise<void> => {
      await draft.writeFile(text);
      await draft.sync();
      const move = force ? rename(path, file) : copyFile(path, file, constants.COPYFILE_EXCL);
      await move.catch((error: unknown) => {
        isNeeded = true;
        throw new EnrollError(
          `${file} cannot be written: ${described(error)}. The credential is in ${path}.`,
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
    throw new EnrollError(`${url} does not answer: ${described(error)}. Is the service running?`);
  });
  if (response.status !== 201)
    throw new EnrollError(`${url} refused (${String(response.status)}): ${messageOf(response)}`);
  const started = response.body as Partial<Started> | undefined;
  if (!isStarted(started)) throw new EnrollError(`${url} does not answer as Countersign does.`);
  // By the clock of the service, because this machine's may be wrong.
  const now = response.date ?? Date.now();
  return { started, lifetimeMs: Date.parse(started.expires_at) - now };
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
        (error: unknown) => ({ status: 0, body: { error: { message: described(error) } } }),
      );
      if (response.status === 200) return response.body as Enrolled;
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
    return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, '0')}`;
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
  const response = await send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
    signal: signal ? AbortSignal.any([signal, late]) : late,
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const date = Date.parse(response.header('date') ?? '');
  return { status: response.status, body: parse(text), ...(!Number.isNaN(date) && { date }) };
}

const isStarted = (started: Partial<Started> | undefined): started is Started =>
  [started?.enrollment_code, started?.user_code, started?.verification_uri].every(
    (text) => typeof text === 'string',
  ) && !Number.isNaN(Date.parse(started?.expires_at ?? ''));

/** The message of the cause, where there is one. */
function described(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Refused {
  readonly error?: {
    readonly message?: unknown;
    readonly details?: {
      readonly issues?: readonly { readonly pointer: string; readonly message: string }[];
    };
  };
}

function messageOf({ status, body }: Reply): string {
  const error = (body as Refused | undefined)?.error;
  if (typeof error?.message !== 'string') return `the answer ${String(status)} says nothing more`;
  const issues = Array.isArray(error.details?.issues) ? error.details.issues : [];
  return [error.message, ...issues.map((issue) => `${issue.pointer} ${issue.message}`)].join('\n');
}
