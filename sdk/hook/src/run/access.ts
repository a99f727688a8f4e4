/** Where to ask and with which token. A command that names a credential file takes neither from the environment. */
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { credentialsFor, enrolled } from '../../../typescript/src/credentials.ts';
import { Unavailable } from '../../../typescript/src/errors.ts';
import { addressOf } from '../../../typescript/src/http.ts';

export interface Named {
  readonly url?: string | undefined;
  /** Of the command line. `~/` is the home folder that the system knows, because a project could set HOME. */
  readonly credential?: string | undefined;
}

export interface Access {
  readonly url: string;
  /** Absent where the SDK finds it. */
  readonly token?: string;
}

/** Throws `Unavailable`. */
export function accessFor({ url, credential }: Named): Access {
  if (credential === undefined) return { url: credentialsFor({ url }).url };
  const path = pathOf(credential);
  const { url: enrolledAt, token } = enrolled(path);
  if (!token || !enrolledAt)
    throw refused(`There is no credential in ${path}. Make one with countersign-hook enroll.`);
  const other = process.env['COUNTERSIGN_TOKEN'];
  if (other && other !== token)
    throw refused(`COUNTERSIGN_TOKEN is not the token of ${path}. Remove the variable.`);
  const address = addressOf(url ?? enrolledAt);
  if (addressOf(enrolledAt) !== address)
    throw refused(`The credential in ${path} is for ${enrolledAt}, not for ${address}.`);
  return { url: address, token };
}

export const pathOf = (credential: string): string =>
  credential.startsWith('~/') ? join(userInfo().homedir, credential.slice(2)) : credential;

const refused = (message: string) => new Unavailable('configuration', message);
