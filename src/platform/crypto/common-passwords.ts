/** The fifty thousand passwords that attackers try first, in lower case. */

let loaded: Promise<ReadonlySet<string>> | undefined;

/** Read at the first call and then kept: reading takes about 30 ms, which would delay the start. */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  );
  return loaded;
}
