/** The one place where tests split a token into its parts. */
import { parseToken, type PresentedToken } from '../../src/platform/crypto/tokens.ts';

/** The parts of a token, or of a `Cookie` header that carries one as its value. */
export function tokenParts(text: string): PresentedToken {
  const parts = parseToken(text.slice(text.indexOf('=') + 1));
  if (!parts) throw new Error(`no token: ${text}`);
  return parts;
}

export const idOf = (text: string): string => tokenParts(text).id;

export const secretOf = (text: string): string => tokenParts(text).secret;
