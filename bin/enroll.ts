/** `countersign enroll`: as `countersign-hook enroll`, with the address of this service. */
import type { Config } from '../src/platform/config.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import {
  enroll as enrollMachine,
  EnrollError,
  type EnrollOptions as Options,
} from '../sdk/typescript/src/enroll.ts';
import { Unavailable } from '../sdk/typescript/src/errors.ts';
import { listenForStop } from './stopping.ts';

const EXIT_STOPPED = 130;

/** The address is COUNTERSIGN_PUBLIC_URL, if it is not given. */
export type EnrollOptions = Omit<Options, 'url'> & Partial<Pick<Options, 'url'>>;

/** Resolves with the exit code. Throws OperatorError. */
export async function enroll(config: Config, options: EnrollOptions): Promise<number> {
  const url = options.url ?? config.publicUrl;
  if (url === undefined)
    throw new OperatorError('PORT is 0: say where the service answers with --url.');
  const stop = listenForStop({ onForce: () => process.exit(EXIT_STOPPED), watchParent: false });
  try {
    return await enrollMachine({ ...options, url }, stop.signal);
  } catch (error) {
    if (error instanceof EnrollError || error instanceof Unavailable)
      throw new OperatorError(error.message);
    throw error;
  }
}
