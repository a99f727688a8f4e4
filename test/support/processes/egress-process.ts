/**
 * Reads calls as JSON from standard input, makes one after another, and writes their outcomes as
 * JSON.
 */
import { text } from 'node:stream/consumers';
import { EgressDenied, openEgress } from '../../../src/platform/network/egress.ts';
import type { EgressCall, EgressResult } from './egress-calls.ts';

const calls = JSON.parse(await text(process.stdin)) as readonly EgressCall[];
const results: EgressResult[] = [];
for (const { url, allow, answers } of calls) {
  const next = answers.values();
  const resolve = () =>
    Promise.resolve((next.next().value ?? []).map((address) => ({ address, family: 4 })));
  const egress = openEgress({ allow, resolve });
  const outcome = async (work: Promise<unknown>): Promise<unknown> =>
    await work.catch((error: unknown) =>
      error instanceof EgressDenied ? error.problem : (error as { code?: string }).code,
    );
  results.push({
    checked: await outcome(egress.check(url)),
    posted: await outcome(
      egress
        .post(url, { headers: {}, body: '{}', timeoutMs: 5_000, maxBytes: 1_000 })
        .then(({ status }) => status),
    ),
  });
}
process.stdout.write(JSON.stringify(results));
