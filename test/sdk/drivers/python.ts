/** The SDK for Python, in a process that speaks a line of JSON for each command and event. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { pythonEnv, pythonExecutable } from '../../support/python.ts';
import type { Ended, Failure, Operation, Sdk, SdkClient, SdkTicket } from './sdk.ts';

/** `asyncio` or `threads`: which of its two clients. */
export function pythonSdk(kind: string): Sdk {
  let speaking: Python | undefined;
  const python = () => (speaking ??= new Python(kind));
  return {
    client: async ({ onPending, hangs, ...options }, env = {}) => {
      const made = python().say('client', { options, env, hangs }, { pending: onPending });
      const { failure } = await made.ended;
      return { client: clientOf(python(), made.id), ...(failure && { failure }) };
    },
    close: async () => {
      await speaking?.close();
    },
  };
}

interface Line {
  readonly of: number;
  readonly event: 'pending' | 'ran' | 'ended';
  readonly given: unknown;
}

interface Said {
  readonly runs: unknown[];
  readonly pending: ((ticket: SdkTicket) => void) | undefined;
  readonly end: (ended: Ended<unknown>) => void;
}

class Python {
  readonly #process: ChildProcess;
  readonly #said = new Map<number, Said>();
  #count = 0;

  constructor(kind: string) {
    const program = join(packageRoot(), 'test/sdk/drivers/driver.py');
    this.#process = spawn(pythonExecutable(), [program, kind], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: pythonEnv(),
    });
    if (!this.#process.stdout) throw new Error('no output');
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      this.#hear(JSON.parse(line) as Line);
    });
  }

  say<T>(
    what: string,
    given: object,
    { pending }: { readonly pending?: Said['pending'] } = {},
  ): Operation<T> & { readonly id: number } {
    const id = (this.#count += 1);
    const ended = new Promise<Ended<T>>((resolve) => {
      this.#said.set(id, { runs: [], pending, end: resolve as Said['end'] });
    });
    this.#process.stdin?.write(`${JSON.stringify({ id, do: what, ...given })}\n`);
    const about = async (command: string, more: object = {}) => {
      await this.say(command, { target: id, ...more }).ended;
    };
    return {
      ...{ id, ended },
      abort: async () => {
        await about('abort');
      },
      change: async (members) => {
        await about('change', { members });
      },
    };
  }

  #hear({ of, event, given }: Line): void {
    const said = this.#said.get(of);
    if (event === 'pending') said?.pending?.(given as SdkTicket);
    else if (event === 'ran') said?.runs.push(given);
    else said?.end({ runs: said.runs, ...(given as { value?: unknown; failure?: Failure }) });
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    this.#process.stdin?.end();
    await once(this.#process, 'exit');
  }
}

function clientOf(python: Python, client: number): SdkClient {
  const calling =
    (what: string) =>
    <T>(call: object): Operation<T> =>
      python.say(what, { client, call });
  const about =
    (what: string) =>
    <T>(ticket: SdkTicket | string): Operation<T> =>
      python.say(what, { client, ticket });
  return {
    run: (call, park) => python.say('run', { client, call, park }),
    ...{ ask: calling('ask'), start: calling('start') },
    ...{ settle: about('settle'), withdraw: about('withdraw') },
    reportTools: (report) => python.say('report_tools', { client, report }),
  };
}
