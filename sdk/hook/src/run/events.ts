/** What a runtime says about a call on standard input, as source text: no digit is read and printed again. */
import { createHash } from 'node:crypto';
import { canonical, membersOf, type Members } from '../../../typescript/src/exact.ts';

export interface HookCall {
  readonly tool: string;
  readonly server?: string;
  /** JSON text of an object. */
  readonly arguments: string;
  readonly session: string;
  readonly callId?: string;
  readonly context: Readonly<Record<string, unknown>>;
  /** Of a call that the runtime reports at two events. */
  readonly pair?: Pair;
  /** Name and input in the words of the runtime, where it says after the call what ran. */
  readonly given?: { readonly tool: string; readonly input: string };
}

/** What both events of a call have in common. */
export interface Pair {
  readonly name: string;
  readonly isSecond: boolean;
  /** Whether these arguments, which were approved at the first event, are those of the second. */
  readonly fits: (approved: { readonly tool: string; readonly arguments: string }) => boolean;
}

export function readClaude(event: Members): HookCall {
  const name = textAt(event, 'hook_event_name');
  if (name === 'PreSkillShellCommand') return callOf(event, 'claude-code');
  if (name !== 'PreToolUse') throw unknownEvent(name);
  return { ...callOf(event, 'claude-code'), ...givenOf(event) };
}

export function readCodex(event: Members): HookCall {
  const name = textAt(event, 'hook_event_name');
  if (name !== 'PreToolUse') throw unknownEvent(name);
  return { ...callOf(event, 'codex'), ...givenOf(event) };
}

const givenOf = (event: Members) => ({
  given: { tool: needed(event, 'tool_name'), input: event.get('tool_input') ?? '' },
});

function callOf(event: Members, runtime: string): HookCall {
  return {
    ...namesOf(needed(event, 'tool_name'), serverOf(event)),
    arguments: objectOf(event.get('tool_input')),
    session: needed(event, 'session_id'),
    ...callIdOf(event),
    context: contextOf(event, runtime),
  };
}

/** Cursor reports a command and a call of an MCP server at `preToolUse`, and again right before they run. */
export function readCursor(event: Members): HookCall {
  const name = textAt(event, 'hook_event_name');
  const rest = {
    session: textAt(event, 'conversation_id') || needed(event, 'session_id'),
    context: contextOf(event, 'cursor'),
  };
  switch (name) {
    case 'preToolUse': {
      const tool = needed(event, 'tool_name');
      const args = objectOf(event.get('tool_input'));
      const call = { ...rest, ...callIdOf(event), arguments: args };
      if (tool.startsWith('MCP:')) {
        const mcpTool = tool.slice('MCP:'.length);
        return { ...call, tool: mcpTool, pair: mcpPair(event, [mcpTool, args], false) };
      }
      const command = tool === 'Shell' ? membersOf(args).get('command') : undefined;
      return { ...call, tool, ...(command && { pair: shellPair(event, command, false) }) };
    }
    case 'beforeShellExecution': {
      const command = event.get('command') ?? missing('command');
      const cwd = event.get('cwd');
      const args = `{"command":${command}${cwd === undefined ? '' : `,"cwd":${cwd}`}}`;
      return { ...rest, tool: 'Shell', arguments: args, pair: shellPair(event, command, true) };
    }
    case 'beforeMCPExecution': {
      const tool = needed(event, 'tool_name');
      const given = event.get('tool_input');
      const args = objectOf(given?.startsWith('"') ? (JSON.parse(given) as string) : given);
      const server = textAt(event, 'mcp_server_name');
      return {
        ...{ ...rest, tool, arguments: args, pair: mcpPair(event, [tool, args], true) },
        ...(server && { server }),
      };
    }
    default:
      throw unknownEvent(name);
  }
}

function shellPair(event: Members, command: string, isSecond: boolean): Pair {
  const text = canonical(command);
  return {
    ...{ name: nameOf(event, 'Shell', text), isSecond },
    fits: (approved) =>
      approved.tool === 'Shell' &&
      canonical(membersOf(approved.arguments).get('command') ?? 'null') === text,
  };
}

function mcpPair(
  event: Members,
  [tool, args]: readonly [tool: string, args: string],
  isSecond: boolean,
): Pair {
  const text = canonical(args);
  return {
    ...{ name: nameOf(event, `MCP:${tool}`, text), isSecond },
    fits: (approved) => approved.tool === tool && canonical(approved.arguments) === text,
  };
}

const nameOf = (event: Members, ...parts: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([event.get('conversation_id'), event.get('generation_id'), ...parts]))
    .digest('hex');

/** `mcp__server__tool` is the tool of an MCP server. A server whose name has two underscores is split where its name ends. */
function namesOf(name: string, known: string): { readonly tool: string; readonly server?: string } {
  const start = `mcp__${known.replace(/[^\w-]/g, '_')}__`;
  if (known && name.startsWith(start) && name !== start)
    return { tool: name.slice(start.length), server: start.slice('mcp__'.length, -'__'.length) };
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return server !== undefined && tool !== undefined ? { tool, server } : { tool: name };
}

/** Empty where the runtime does not name it. */
function serverOf(event: Members): string {
  const server = event.get('mcp_server');
  return server?.startsWith('{') ? textAt(membersOf(server), 'name') : '';
}

function callIdOf(event: Members): { readonly callId?: string } {
  const callId = textAt(event, 'tool_use_id');
  return callId ? { callId } : {};
}

const SHOWN = ['cwd', 'permission_mode', 'model', 'agent_type', 'turn_id', 'generation_id'];

function contextOf(event: Members, runtime: string): Readonly<Record<string, unknown>> {
  const shown = SHOWN.filter((name) => event.get(name)?.startsWith('"'));
  return { runtime, ...Object.fromEntries(shown.map((name) => [name, textAt(event, name)])) };
}

/** The service takes objects. */
function objectOf(text: string | undefined): string {
  if (text === undefined) return missing('tool_input');
  const trimmed = text.trim();
  return trimmed.startsWith('{') ? trimmed : `{"input":${trimmed}}`;
}

/** Empty, if it is not there. */
export function textAt(event: Members, name: string): string {
  const text = event.get(name);
  if (text === undefined || text === 'null') return '';
  if (!text.startsWith('"')) throw new TypeError(`${name} of the event is no text.`);
  return JSON.parse(text) as string;
}

const needed = (event: Members, name: string): string => textAt(event, name) || missing(name);

function missing(name: string): never {
  throw new TypeError(`The event has no ${name}.`);
}

const unknownEvent = (name: string) =>
  new TypeError(`The event ${JSON.stringify(name)} is not one that this hook knows.`);
