/** The fifty thousand passwords that are tried first, in lower case. */

let loaded: Promise<ReadonlySet<string>> | undefined;

/** Read at the first call, since it takes some 30 ms that no start should wait for; kept from then on. */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  );
  return loaded;
}
