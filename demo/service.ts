/** The service for the demo: a running one, or one that the demo starts and stops. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../src/platform/config.ts';
import { readHolder } from '../src/local/lock-file.ts';
import { workflowIdOf } from '../temporal/ids.ts';
import { reasonOf } from './client.ts';
import { DemoStopped, type Stage } from './stage.ts';

export interface Service {
  readonly url: string;
  /** The folder of its bootstrap secret and its servers' data, if it runs on this machine. */
  readonly dataDirectory: string;
  readonly namespace: string;
  /** Started by the demo and gone after it. */
  readonly own: boolean;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;

/**
 * Looks at COUNTERSIGN_PUBLIC_URL, or HOST and PORT, for a running service. Otherwise starts one.
 */
export async function findOrStart(
  config: Config,
  stage: Stage,
  signal: AbortSignal,
): Promise<Service> {
  const url = config.publicUrl;
  const state = url === undefined ? 'no server' : await whoAnswers(url);
  if (url !== undefined && state === 'service') {
    stage.say(
      `Countersign answers at ${url}: the demo uses it, and leaves an agent and an escalation path of its own there.`,
    );
    await untilReady(url);
    return {
      url,
      dataDirectory: config.dataDirectory,
      namespace: config.temporalNamespace,
      own: false,
      stop: () => Promise.resolve(),
    };
  }
  const found =
    url === undefined
      ? 'PORT is 0'
      : state === 'no server'
        ? `Nothing answers at ${url}`
        : `Another server answers at ${url}`;
  stage.say(
    `${found}: the demo starts a service of its own, on free ports, with data in a temporary folder.`,
  );
  return startOwn(stage, signal);
}

async function whoAnswers(url: string): Promise<'service' | 'another server' | 'no server'> {
  try {
    const answer = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(5_000) });
    return answer.status === 200 && (await answer.text()) === '{"status":"ok"}'
      ? 'service'
      : 'another server';
  } catch {
    return 'no server';
  }
}

async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(
      reasonOf,
    );
    if (typeof answer !== 'string' && answer.ok) return;
    if (performance.now() > deadline) {
      const state = typeof answer === 'string' ? answer : await answer.text();
      throw new DemoStopped(`${url} is not ready: ${state}`);
    }
    await delay(500);
  }
}

async function startOwn(stage: Stage, signal: AbortSignal): Promise<Service> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'countersign-demo-'));
  const { PATH = '', HOME = '', XDG_CACHE_HOME = '' } = process.env;
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../bin/countersign.js', import.meta.url)), 'start'],
    {
      // Uses nothing of the person's own configuration, so that the demo cannot end up in another
      // database. With this name of an npm script, the service ends with its parent. With JSON
      // logs, only lines for people come on standard error.
      env: {
        ...{ PATH, HOME, XDG_CACHE_HOME, npm_lifecycle_event: 'demo' },
        ...{
          HOST: '127.0.0.1',
          PORT: '0',
          COUNTERSIGN_DATA_DIR: dataDirectory,
          LOG_FORMAT: 'json',
          LOG_LEVEL: 'fatal',
        },
      },
      stdio: ['ignore', 'ignore', 'pipe'],
      // Ctrl-C is for the demo, which then stops the service in order.
      detached: true,
    },
  );
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    rmSync(dataDirectory, { recursive: true, force: true });
  };
  try {
    let ready = false;
    const url = new Promise<string>((resolve) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        const address = /^ *Address +(\S+)$/.exec(line)?.[1];
        ready ||= line === 'Countersign is ready.';
        if (address !== undefined) resolve(address);
        else if (!ready && line.trim() !== '') stage.say(`| ${line.trim()}`);
      });
    });
    const stopped = once(signal, 'abort');
    const started = await Promise.race([url, exited, stopped]);
    if (typeof started !== 'string') throw new DemoStopped('The service did not start.');
    stage.say(`It answers at ${started}.`);
    return { url: started, dataDirectory, namespace: 'countersign', own: true, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The page of a request in the Temporal UI of the service's own embedded server, or undefined
 * without one.
 */
export async function temporalPage(
  service: Service,
  requestId: string,
): Promise<string | undefined> {
  try {
    if (readHolder(join(service.dataDirectory, 'countersign.lock'))?.note !== service.url)
      return undefined;
    const { ui } = JSON.parse(
      readFileSync(join(service.dataDirectory, 'temporal/ports.json'), 'utf8'),
    ) as { ui: number };
    const path = `/namespaces/${service.namespace}/workflows/${encodeURIComponent(workflowIdOf(requestId))}`;
    const known = await fetch(`http://127.0.0.1:${ui}/api/v1${path}`, {
      signal: AbortSignal.timeout(5_000),
    });
    return known.ok ? `http://127.0.0.1:${ui}${path}` : undefined;
  } catch {
    return undefined;
  }
}
