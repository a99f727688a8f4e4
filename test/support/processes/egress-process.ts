/**
 * Reads calls from standard input, one a line as JSON, makes one after another, and writes their
 * outcomes as lines.
 */
import { createInterface } from 'node:readline';
import { EgressDenied, openEgress } from '../../../src/platform/network/egress.ts';
import type { EgressCall, EgressResult } from './egress-calls.ts';

/** Nothing is shared between two calls, so none reuses a connection or a checked certificate. */
async function make({ url, allow, answers }: EgressCall): Promise<EgressResult> {
  const next = answers.values();
  const resolve = () =>
    Promise.resolve((next.next().value ?? []).map((address) => ({ address, family: 4 })));
  const egress = openEgress({ allow, resolve });
  const outcome = async (work: Promise<unknown>): Promise<unknown> =>
    await work.catch((error: unknown) =>
      error instanceof EgressDenied ? error.problem : (error as { code?: string }).code,
    );
  return {
    checked: await outcome(egress.check(url)),
    posted: await outcome(
      egress
        .post(url, { headers: {}, body: '{}', timeoutMs: 60_000, maxBytes: 1_000 })
        .then(({ status }) => status),
    ),
  };
}

// Ends with the test, which holds the other end.
for await (const line of createInterface(process.stdin))
  process.stdout.write(`${JSON.stringify(await make(JSON.parse(line) as EgressCall))}\n`);
