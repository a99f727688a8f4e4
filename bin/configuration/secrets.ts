/** Signing secrets of new endpoints, which the service shows once. They go to a terminal or a private file, nowhere else. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { describeFailure } from '../describe-failure.ts';
import { OperatorError } from '../../src/platform/operator-error.ts';

export interface SecretKeeper {
  readonly keep: (endpointKey: string, secret: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Throws OperatorError where a secret would be seen by no one, or by all who read a log. */
export async function openSecretKeeper(file: string | undefined): Promise<SecretKeeper> {
  if (file === undefined) {
    if (!process.stderr.isTTY)
      throw new OperatorError(
        'The signing secret of a new endpoint is shown once, and this is no terminal. Say with --secrets-file where to write it.',
      );
    return {
      keep: (endpointKey, secret) => {
        process.stderr.write(`Signing secret of ${endpointKey}, shown only now: ${secret}\n`);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    };
  }
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const handle = await open(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600).catch(
    (error: unknown) => {
      throw new OperatorError(`${file} cannot be written: ${describeFailure(error)}.`);
    },
  );
  const { mode } = await handle.stat();
  if ((mode & 0o077) !== 0) {
    await handle.close();
    throw new OperatorError(`Others can read ${file}. Make it private with chmod 600.`);
  }
  return {
    keep: async (endpointKey, secret) => {
      const line = { endpoint_key: endpointKey, signing_secret: secret };
      await handle.write(`${JSON.stringify(line)}\n`);
      await handle.sync();
    },
    close: () => handle.close(),
  };
}
