#!/usr/bin/env node
/** `countersign-mcp wrap`: puts Countersign between an MCP client and a stdio server. */
import { parseArgs } from 'node:util';
import { msOf } from '../../durations.ts';
import { Unavailable } from '../../errors.ts';
import { folded } from './messages.ts';
import { log, wrap, type Wrapped } from './wrapper.ts';

const USAGE = `countersign-mcp wrap [options] <alias> -- <command> [arguments]

Starts <command>, a stdio MCP server, and asks Countersign before a call of one of its tools reaches it.
<alias> is the name of the server in your rules.

  --limit 55s      the most time that an ask may take. Keep it below the limit of the client, often 60 s
  --park 15m       reviewers have this long. At the limit the model is told to make the same call again later
  --tools a,b      ask for calls of these tools only
  --exempt a,b     ask for calls of all tools but these

Address and token: COUNTERSIGN_URL and COUNTERSIGN_TOKEN, or the file of countersign enroll.`;

class UsageError extends Error {}

function read(given: readonly string[]): Wrapped | 'help' {
  const end = given.indexOf('--');
  const ours = end < 0 ? given : given.slice(0, end);
  const { values, positionals } = parsed(ours);
  if (values.help) return 'help';
  const [verb, alias, ...more] = positionals;
  const [command, ...args] = end < 0 ? [] : given.slice(end + 1);
  if (verb !== 'wrap') throw new UsageError('The command is wrap.');
  if (!alias || more.length > 0) throw new UsageError('Give one alias for the server.');
  if (!command) throw new UsageError('Give the command of the server after --.');
  if (values.tools !== undefined && values.exempt !== undefined)
    throw new UsageError('Give --tools or --exempt, not both.');
  msOf(values.limit, '--limit');
  const { limit, park } = values;
  if (park !== undefined) msOf(park, '--park');
  return { alias, command, args, limit, park, asks: asksOf(values) };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        limit: { type: 'string', default: '55s' },
        park: { type: 'string' },
        tools: { type: 'string' },
        exempt: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The options are wrong.');
  }
}

/** In doubt it asks: a server may take a name for one of the list that is written in another way. */
function asksOf({ tools, exempt }: { tools?: string | undefined; exempt?: string | undefined }) {
  const names = (list: string) => {
    const found = list.split(',').map((name) => name.trim());
    if (found.includes('')) throw new UsageError('A list of tools has an empty name.');
    return new Set(found);
  };
  if (tools !== undefined) {
    const asked = new Set([...names(tools)].map(folded));
    return (tool: string) => asked.has(folded(tool));
  }
  const free = exempt === undefined ? new Set<string>() : names(exempt);
  return (tool: string) => !free.has(tool);
}

try {
  const wrapped = read(process.argv.slice(2));
  if (wrapped === 'help') process.stdout.write(`${USAGE}\n`);
  else process.exit(await wrap(wrapped));
} catch (error) {
  if (!(error instanceof UsageError || error instanceof Unavailable)) throw error;
  log(error.message);
  if (error instanceof UsageError) process.stderr.write(`\n${USAGE}\n`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
