/** `created_at` in SQL and on the wire is `createdAt` in TypeScript. */
const memberNames = new Map<string, string>();

/** For names of columns and of schemas, of which there are some hundreds: it keeps them all. */
export function memberName(name: string): string {
  const known = memberNames.get(name);
  if (known !== undefined) return known;
  const member = name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  memberNames.set(name, member);
  return member;
}
