/** Tools that run without being asked for, by their names. Throws a TypeError for a text, of which any part would match. */
export function namesIn(exempt: readonly string[] = []): ReadonlySet<string> {
  if (!Array.isArray(exempt)) throw new TypeError('exempt must be a list of names.');
  return new Set<string>(exempt);
}
