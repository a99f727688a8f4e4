/**
 * How names of agents, instances, teams, paths and keys are compared: without surrounding white space
 * and invisible characters, ignoring case and Unicode variants.
 */

/** SQL: what is equal for equal names. Unique indexes hold it; a digest fits them at any length. */
export const nameKey = (name: string): string => `text_digest(folded_name(${name}))`;

/** SQL: whether one of the names contains the text of `:q`. */
export function anyNameContains(names: readonly string[]): string {
  return `(${names.map((name) => `strpos(folded_name(${name}), folded_name(:q)) > 0`).join(' or ')})`;
}
