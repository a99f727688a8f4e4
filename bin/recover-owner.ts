/** `countersign recover-owner`: a link with which an owner gets back in who lost their second factor. */
import type { Config } from '../src/platform/config.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { recoverOwner } from '../src/services/sign-in/owner-recovery.ts';
import { withDatabase } from './own-database.ts';

/** Resolves with the exit code. */
export async function recoverOwnerOf(config: Config, email: string): Promise<number> {
  const { publicUrl } = config;
  if (publicUrl === undefined)
    throw new OperatorError('PORT is 0: set COUNTERSIGN_PUBLIC_URL to the address of the service.');
  const { link, displayName, told } = await withDatabase(config, 'serve', async ({ db }) =>
    recoverOwner(
      { db, publicUrl: () => publicUrl, sendsEmail: config.smtpUrl !== undefined },
      email,
    ),
  );
  console.log(
    [
      `Give this link to ${displayName}, and to no one else. It works once, within an hour:`,
      '',
      link,
      '',
      'It sets a new password, removes their second factor and ends their sessions.',
      told.length === 0
        ? 'SMTP_URL is not set, so no owner is told by email: tell them yourself.'
        : `The service tells every owner by email: ${told.join(', ')}.`,
    ].join('\n'),
  );
  return 0;
}
