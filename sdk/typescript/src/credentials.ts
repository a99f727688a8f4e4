/** Where the service answers, and with which token to ask: options, the environment, the file of `countersign enroll`, or a fleet's token. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Unavailable } from './errors.ts';
import { membersOf } from './exact.ts';
import { addressOf, callService, within, type Limits } from './http.ts';

export interface Access {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  /** A fleet's token. It makes an instance of the agent, with a separate credential. */
  readonly provisioner?: string | undefined;
}

export interface Credentials {
  readonly url: string;
  /** Who asks. It stays the same when a token is renewed. */
  readonly agent: string;
  /** Works at least `ms` longer, where credentials live that long. */
  token(ms: number, limits: Limits): Promise<string>;
}

/** Throws `Unavailable` when nothing says where and how to ask. */
export function credentialsFor(given: Access): Credentials {
  const { env } = process;
  const needsFile =
    !(given.url ?? env['COUNTERSIGN_URL']) ||
    !(given.token ?? given.provisioner ?? env['COUNTERSIGN_TOKEN']);
  const file = needsFile ? enrolled(env['COUNTERSIGN_CREDENTIAL']) : {};
  const url = given.url ?? (env['COUNTERSIGN_URL'] || file.url);
  if (!url)
    throw new Unavailable(
      'configuration',
      'Say where Countersign answers: with url, COUNTERSIGN_URL, or by countersign enroll.',
    );
  const address = addressOf(url);
  if (given.provisioner !== undefined && given.token === undefined)
    return provisioned(address, given.provisioner);
  const token = given.token ?? (env['COUNTERSIGN_TOKEN'] || file.token);
  if (!token)
    throw new Unavailable(
      'configuration',
      'Give a token: with token, COUNTERSIGN_TOKEN, or by countersign enroll.',
    );
  requireToken(token);
  if (token === file.token && file.url && addressOf(file.url) !== address)
    throw new Unavailable(
      'configuration',
      `The token of countersign enroll is for ${file.url}, not for ${address}. Give a token for this address.`,
    );
  const { agent, instance } = file;
  const isEnrolled = token === file.token && agent !== undefined && instance !== undefined;
  return {
    url: address,
    agent: agentOf(address, isEnrolled ? { agent, instance } : { token }),
    token: async () => token,
  };
}

const agentOf = (url: string, given: Readonly<Record<string, string>>): string =>
  JSON.stringify([url, given]);

function requireToken(token: string): void {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new Unavailable('configuration', 'The token has characters that no token has.');
}

export interface Enrolled {
  readonly url?: string;
  readonly token?: string;
  /** ISO 8601. */
  readonly expiresAt?: string;
  /** Names at the service. */
  readonly agent?: string;
  readonly instance?: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Empty, if there is none. */
export function enrolled(
  path: string = join(homedir(), '.config', 'countersign-credential'),
): Enrolled {
  try {
    const { url, token, ...more } = JSON.parse(readFileSync(path, 'utf8')) as Json;
    if (typeof url !== 'string' || typeof token !== 'string') throw new TypeError('no file of it');
    const { expires_at: expiresAt, agent, instance } = more;
    const texts = Object.entries({ expiresAt, agent, instance }).filter(
      ([, value]) => typeof value === 'string',
    );
    return { url, token, ...Object.fromEntries(texts) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Unavailable(
      'configuration',
      `${path} cannot be read, or is no file of countersign enroll.`,
    );
  }
}

interface Made {
  readonly token: string;
  readonly lifeMs: number;
  /** As `performance.now()`. */
  readonly endsAt: number;
}

const MAKING_MS = 60_000;

/** A credential that ends soon is replaced before the next request, which then belongs to a new instance. */
function provisioned(url: string, provisioner: string): Credentials {
  requireToken(provisioner);
  let held: Promise<Made> | undefined;
  const token = async (ms: number, limits: Limits): Promise<string> => {
    for (;;) {
      limits.signal?.throwIfAborted();
      const making = (held ??= makeInstance(url, provisioner));
      try {
        const { token: made, endsAt, lifeMs } = await within(making, limits);
        // One that never lives long enough is not replaced at every call.
        if (endsAt - performance.now() >= Math.min(ms, lifeMs / 2)) return made;
        if (held === making) held = undefined;
      } catch (error) {
        if (limits.signal?.aborted || performance.now() >= limits.until) throw error;
        if (held === making) held = undefined;
        if (!(error instanceof Unavailable && error.reason === 'unreachable')) throw error;
      }
    }
  };
  return { url, agent: agentOf(url, { provisioner }), token };
}

/** All callers wait for it, so it has its own limits. The key repeats a lost response. */
async function makeInstance(url: string, provisioner: string): Promise<Made> {
  const before = performance.now();
  const text = await callService(
    url,
    {
      ...{ method: 'POST', path: '/instances', token: provisioner, body: '{}' },
      ...{ idempotencyKey: randomUUID(), expects: [200, 201] },
    },
    { until: before + MAKING_MS },
  );
  const made = readMade(text);
  // The clock of this machine may be wrong, so both times are the service's.
  if (!made || !(made.lifeMs > 0))
    throw new Unavailable('invalid_response', 'The response has no instance with a credential.');
  return { ...made, endsAt: before + made.lifeMs };
}

function readMade(text: string): Pick<Made, 'token' | 'lifeMs'> | undefined {
  try {
    const made = membersOf(text);
    const member = (of: string, name: string) =>
      JSON.parse(membersOf(made.get(of) ?? '').get(name) ?? '') as string;
    const token = member('credential', 'token');
    requireToken(token);
    const ends = Date.parse(member('credential', 'expires_at'));
    return { token, lifeMs: ends - Date.parse(member('agent_instance', 'created_at')) };
  } catch {
    return undefined;
  }
}
