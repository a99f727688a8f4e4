import { pointerToken } from '../platform/json/exact-json.ts';

/** The JSON pointer of a path. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((token) => `/${pointerToken(token.toString())}`).join('');
}
