/**
 * Ids of guides, which are their addresses below /docs: `rules` is docs/guides/rules.md, `gates/mcp` is docs/guides/gates/mcp.md,
 * and the index is empty.
 */
const GUIDE = /^docs\/(?:guides\/)?((?:operations\/|gates\/)?[\w-]+)\.md$/;

/** Of a path in the repository. Undefined for what is no guide, such as decision records. */
export function guideIdOf(path: string): string | undefined {
  const id = GUIDE.exec(path)?.[1];
  return id?.replace(/(?:^|\/)README$/, '');
}

/** Names of a route and its parameters. An id has one part or two. */
export const addressOf = (id: string) => {
  const [first = '', second] = id.split('/');
  if (first === '') return { to: '/docs' } as const;
  if (second === undefined) return { to: '/docs/$page', params: { page: first } } as const;
  return { to: '/docs/$folder/$page', params: { folder: first, page: second } } as const;
};
