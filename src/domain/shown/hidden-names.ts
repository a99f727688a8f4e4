/** Names of members whose values are secrets. They are read word by word, so that `clientSecret` and `X-Api-Key` are such names. */
import type { IsWanted, SourceValue } from '../../platform/json/source-values.ts';

/** An organization's setting: whether our names count, and its own names. */
export interface HiddenNames {
  readonly defaults: boolean;
  readonly add: readonly string[];
}

export const DEFAULT_HIDDEN_NAMES: HiddenNames = { defaults: true, add: [] };
export const MOST_HIDDEN_NAMES = 100;

/** Words that name a secret wherever they stand in a name, also at the end of a longer word: `accesstoken`. */
const SECRET_ENDS =
  /(?:passwords?|passwds?|passphrases?|passcodes?|secrets?|tokens?|apikeys?|authorization|cookies?|privatekeys?|credentials?)$/;
/** Words that only together name a secret, or only as a whole. */
const SECRET_PHRASES = [
  'api key',
  'api keys',
  'private key',
  'private keys',
  'access key',
  'signing key',
  'encryption key',
  'pass phrase',
  'pass word',
  'jwt',
  'cvv',
  'cvc',
].map((phrase) => phrase.split(' '));

/** Every name of these has one of them. */
export const SECRET_ROOTS = [
  'pass',
  'secret',
  'token',
  'key',
  'authorization',
  'cookie',
  'credential',
  'jwt',
  'cvv',
  'cvc',
  'sig',
];

/** Numbers with such a name are counts: `max_tokens`. */
const COUNTED = 'tokens';

const SEPARATE_WORDS = [/(\p{Ll})(\p{Lu})/gu, /(\p{Lu})(\p{Lu}\p{Ll})/gu] as const;

/** Small words of letters, and digits by themselves. Characters that no one sees do not part a word. */
export function wordsOf(name: string): string[] {
  const seen = name.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  const parted = SEPARATE_WORDS.reduce((text, edge) => text.replaceAll(edge, '$1 $2'), seen);
  return parted.toLowerCase().match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? [];
}

/** Members that hold a value whose name is next to them: `{"name": "Authorization", "value": "Bearer …"}`. */
const VALUE = /^values?$/i;
const NAME = /^(?:name|key|field|header|variable)$/i;
/** An object with more members is no such pair. */
const MOST_BESIDE = 20;
const MOST_NAME = 200;

/** The words of a name if it is that of a secret. */
export function secretWords({
  defaults,
  add,
}: HiddenNames): (name: string) => readonly string[] | undefined {
  const phrases = [...(defaults ? SECRET_PHRASES : []), ...add.map(wordsOf)];
  const known = new Map<string, readonly string[] | undefined>();
  return (name) => {
    if (known.has(name)) return known.get(name);
    const words = wordsOf(name);
    const isSecret =
      (defaults && words.some((word) => SECRET_ENDS.test(word))) ||
      phrases.some((phrase) => isWithin(phrase, words));
    known.set(name, isSecret ? words : undefined);
    return isSecret ? words : undefined;
  };
}

/**
 * Whether a member's value is hidden, by its name as it stands between the quotes of the source, or by the name next to it.
 * Nothing is hidden where a value can be no secret: true, false and null.
 */
export function secretNames(names: HiddenNames): IsWanted {
  const wordsOfSecret = secretWords(names);
  const secretWordsOf = (source: string) =>
    wordsOfSecret(source.includes('\\') ? (JSON.parse(`"${source}"`) as string) : source);
  const isNamedSecret = (pair: SourceValue): boolean =>
    pair.size <= MOST_BESIDE &&
    pair.members.some(
      ({ key, value }) =>
        NAME.test(key) &&
        value.kind === 'string' &&
        value.length <= MOST_NAME &&
        !value.isCut &&
        secretWordsOf(value.source.slice(1, -1)) !== undefined,
    );
  return (name, kind, parent) => {
    if (kind === 'boolean' || kind === 'null') return false;
    const words = secretWordsOf(name);
    if (!words) return VALUE.test(name) && isNamedSecret(parent());
    return !(names.defaults && kind === 'number' && words.includes(COUNTED));
  };
}

function isWithin(phrase: readonly string[], words: readonly string[]): boolean {
  if (phrase.length === 0) return false;
  return words.some((_, start) => phrase.every((word, index) => words[start + index] === word));
}
