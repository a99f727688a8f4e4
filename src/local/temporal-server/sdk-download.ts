/** The download of the Temporal SDK, which starts the CLI once. Needs access to temporal.download. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const VERSION = 'v1.9.0';
/** A network that drops packets would hold the SDK for minutes. */
const SILENT_MS = 10_000;
const LOOK_EVERY_MS = 500;

export async function downloadBySdk(folder: string, signal?: AbortSignal): Promise<string> {
  // Loaded only here: it brings the SDK's native library, which the other ways do not need.
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const executable = { type: 'cached-download', version: VERSION, downloadDir: folder } as const;
  const started = TestWorkflowEnvironment.createLocal({ server: { executable, ip: '127.0.0.1' } });
  const stopped = started.then((environment) => environment.teardown());
  const over = new AbortController();
  try {
    await Promise.race([stopped, untilSilent(folder, { over: over.signal, signal })]);
  } catch (error) {
    stopped.catch(() => undefined);
    throw new Error(reasonOf(error), { cause: error });
  } finally {
    over.abort();
  }
  const [name] = readdirSync(folder);
  if (name === undefined) throw new Error('it left no file');
  return join(folder, name);
}

/** Rejects when nothing more arrives, or on a signal. The SDK itself cannot be stopped. */
async function untilSilent(
  folder: string,
  { over, signal }: { readonly over: AbortSignal; readonly signal: AbortSignal | undefined },
): Promise<void> {
  let bytes = 0;
  let last = performance.now();
  while (!over.aborted) {
    signal?.throwIfAborted();
    const now = sizeOf(folder);
    if (now !== bytes) last = performance.now();
    bytes = now;
    if (performance.now() - last > SILENT_MS)
      throw new Error(`nothing more arrived for ${SILENT_MS / 1_000} s`);
    await delay(LOOK_EVERY_MS);
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

/** The last cause of a chain that ends, for example, "…: dns error: failed to lookup address". */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `temporal.download cannot be reached (${message.split('client error (Connect): ').at(-1) ?? message})`;
}
