/** Lets another process, which trusts an authority of the test, call addresses that users name. */
import { createInterface } from 'node:readline';
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

export interface EgressCaller {
  /** One call at a time. */
  call(call: EgressCall): Promise<EgressResult>;
  end(): Promise<void>;
}

export function startEgressCaller(authority: Authority): EgressCaller {
  const { child, errors, end } = startTrustingProcess('test/support/processes/egress-process.ts', {
    authority,
  });
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('no pipes');
  const results = createInterface(stdout)[Symbol.asyncIterator]();
  return {
    call: async (call) => {
      stdin.write(`${JSON.stringify(call)}\n`);
      const { done, value } = await results.next();
      if (done) throw new Error(`the process failed:\n${errors()}`);
      return JSON.parse(value) as EgressResult;
    },
    end,
  };
}
