/** Lets another process, which trusts an authority of the test, call addresses that users name. */
import { text } from 'node:stream/consumers';
import type { Authority } from '../servers/certificates.ts';
import { startTrustingProcess } from './trusting-process.ts';

export interface EgressCall {
  readonly url: string;
  readonly allow: readonly string[];
  /**
   * The addresses of the host's name, in the order in which it is resolved: at the check, at the
   * call, and so on.
   */
  readonly answers: readonly (readonly string[])[];
}

export interface EgressResult {
  /** The problem; absent when allowed. */
  readonly checked?: unknown;
  /** The status, the problem, or the code of the error. */
  readonly posted?: unknown;
}

export async function callAs(
  authority: Authority,
  calls: readonly EgressCall[],
): Promise<EgressResult[]> {
  const { child, errors, end } = startTrustingProcess('test/support/processes/egress-process.ts', {
    authority,
  });
  if (!child.stdin || !child.stdout) throw new Error('no pipes');
  child.stdin.end(JSON.stringify(calls));
  const output = await text(child.stdout);
  await end();
  if (output === '') throw new Error(`the process failed:\n${errors()}`);
  return JSON.parse(output) as EgressResult[];
}
