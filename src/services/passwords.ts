/** What a new password must be. */
import { invalid } from '../domain/errors.ts';
import { isGuessable } from '../domain/guessable-passwords.ts';
import { commonPasswords } from '../platform/common-passwords.ts';

const LEAST_CHARACTERS = 12;

export interface PasswordRules {
  /** What stands for this person to everybody: email, display name, the organization's name. Of an email the local part counts too. */
  readonly words: readonly string[];
  /** The field the password came in, such as `/password`. */
  readonly pointer: string;
}

/** 400 with the field unless the password has 12 characters and is neither common nor the person's or organization's name. */
export async function requireAcceptablePassword(password: string, { words, pointer }: PasswordRules): Promise<void> {
  const refuse = (message: string) => invalid([{ pointer, code: 'invalid_value', message }]);
  // A character outside the basic plane counts as one.
  if ([...password].length < LEAST_CHARACTERS) throw refuse(`must be at least ${LEAST_CHARACTERS} characters long`);
  const common = await commonPasswords();
  const known = [...words, ...words.filter((word) => word.includes('@')).map((word) => word.slice(0, word.lastIndexOf('@')))];
  if (isGuessable(password, { words: known, isCommon: (text) => common.has(text) })) {
    throw refuse('is one of the first somebody would guess: a common password, or a name of yours or your organization');
  }
}
