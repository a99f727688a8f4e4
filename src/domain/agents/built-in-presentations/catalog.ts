/** The presentations that ship with the service. */
import type { PresentationEntry } from '../tool-presentations.ts';
import { BUSINESS } from './business.ts';
import { fieldOf, type BuiltInEntry } from './entry.ts';
import { OPERATIONS } from './operations.ts';
import { PROGRAMMING } from './programming.ts';

/** One entry for each name, in the order of the tables. */
export const builtInPresentations: readonly PresentationEntry[] = [
  ...PROGRAMMING,
  ...OPERATIONS,
  ...BUSINESS,
].flatMap(entriesOf);

function entriesOf({ tools, servers, title, rows }: BuiltInEntry): readonly PresentationEntry[] {
  const fields = rows.map(fieldOf);
  return tools.flatMap((tool) =>
    servers
      ? servers.map((server) => ({ tool, server, title, fields }))
      : [{ tool, title, fields }],
  );
}

const keyOf = (tool: string, server: string | undefined): string => JSON.stringify([tool, server]);

const byName: ReadonlyMap<string, PresentationEntry> = new Map(
  builtInPresentations.map((entry) => [keyOf(entry.tool, entry.server), entry]),
);

/** The entry for a tool of this server, else the one for the tool of any. */
export function findBuiltIn(
  tool: string,
  server: string | undefined,
): PresentationEntry | undefined {
  return byName.get(keyOf(tool, server)) ?? byName.get(keyOf(tool, undefined));
}
