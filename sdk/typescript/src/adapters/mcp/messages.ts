/**
 * What a line from an MCP client is. Only what is understood is forwarded: servers read JSON in their own ways, and a line that
 * one of them could take for another call is refused.
 */
import { JsonText } from '../../arguments.ts';
import { canonical, membersOf, type Members } from '../../exact.ts';

export interface ToolsCall {
  readonly kind: 'call';
  /** JSON text, as the response repeats it. */
  readonly id: string;
  readonly tool: string;
  readonly arguments: JsonText;
  /** JSON text. */
  readonly progressToken?: string;
  /** The client expects a task in the place of a result. */
  readonly isTask: boolean;
  /** The client's revision of the protocol requires `resultType`. */
  readonly isTyped: boolean;
  /** What the user answered to questions of the tool, as JSON text: a part of what runs. */
  readonly inputResponses?: string;
}

export interface Refused {
  readonly kind: 'refused';
  /** JSON text. Without one, there is nothing to respond to. */
  readonly id?: string;
  readonly code: number;
  readonly message: string;
}

export type Message =
  | { readonly kind: 'pass' }
  /** `id` as `nameOf` gives it. */
  | { readonly kind: 'cancel'; readonly id: string }
  | ToolsCall
  | Refused;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;

const MEMBERS = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];
/** Of every revision until 2026-07-28. */
const PARAMS = ['name', 'arguments', '_meta', 'task', 'inputResponses', 'requestState'];
const PASS: Message = { kind: 'pass' };

/** Equal for equal ids. */
export const nameOf = (id: string): string => canonical(id);

/** Of a line without its line feed. */
export function readMessage(line: Uint8Array): Message {
  const members = understood(line);
  if (!members)
    return {
      ...{ kind: 'refused', id: 'null', code: PARSE_ERROR },
      message: 'This line is not one JSON-RPC message in strict JSON, so it was not forwarded.',
    };
  const id = members.get('id');
  const refuse = (message: string, code = INVALID_REQUEST): Refused => ({
    ...{ kind: 'refused', code, message },
    ...(!members.has('id') ? {} : { id: isId(id) ? id : 'null' }),
  });
  if (
    [...members.keys()].some((name) => !MEMBERS.includes(name)) ||
    (members.has('id') && !isId(id))
  )
    return refuse('This is not a JSON-RPC message, so it was not forwarded.');
  if (!members.has('method'))
    return members.has('result') !== members.has('error') && members.has('id')
      ? PASS
      : refuse('This is neither a request nor a response, so it was not forwarded.');
  const method = stringOf(members.get('method'));
  if (method === undefined || members.has('result') || members.has('error'))
    return refuse('This is not a JSON-RPC request, so it was not forwarded.');
  if (method === 'notifications/cancelled') return readCancel(members);
  if (method === 'tools/call') return readCall(members, id, refuse);
  return folded(method) === folded('tools/call')
    ? refuse(`The method ${JSON.stringify(method)} is not tools/call, so it was not forwarded.`)
    : PASS;
}

/** Some clients write null for what is absent. */
const present = (members: Members): Members =>
  new Map([...members].filter(([, value]) => value !== 'null'));

/** What came of a call, where the line of a server is its response. */
export function readResult(
  line: Uint8Array,
): { readonly id: string; readonly isFailure: boolean } | undefined {
  const members = understood(line);
  const id = members?.get('id');
  if (!members || !isId(id) || members.has('method')) return undefined;
  const result = members.get('result');
  const isFailure =
    result === undefined || (result.startsWith('{') && membersOf(result).get('isError') === 'true');
  return { id: nameOf(id), isFailure };
}

function understood(line: Uint8Array): Members | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
    const message = text.replace(/\r$/, '');
    // Some servers end a line at a carriage return, too. What follows would be a separate message.
    if (message.includes('\r')) return undefined;
    const members = membersOf(message);
    return stringOf(members.get('jsonrpc')) === '2.0' ? members : undefined;
  } catch {
    return undefined;
  }
}

function readCancel(members: Members): Message {
  try {
    const id = membersOf(members.get('params') ?? '').get('requestId');
    return isId(id) ? { kind: 'cancel', id: nameOf(id) } : PASS;
  } catch {
    return PASS;
  }
}

function readCall(
  members: Members,
  id: string | undefined,
  refuse: (message: string, code?: number) => Refused,
): Message {
  if (!isId(id)) return refuse('A call of a tool needs an id, so it was not forwarded.');
  try {
    const params = present(membersOf(members.get('params') ?? ''));
    const unknown = [...params.keys()].find((name) => !PARAMS.includes(name));
    if (unknown !== undefined)
      return refuse(
        `The call has the parameter ${JSON.stringify(unknown)}, which is not known, so it was not forwarded.`,
        INVALID_PARAMS,
      );
    const tool = stringOf(params.get('name'));
    if (tool === undefined || tool === '') throw new TypeError('no name');
    const meta = membersOf(params.get('_meta') ?? '{}');
    const progressToken = meta.get('progressToken');
    const inputResponses = params.get('inputResponses');
    return {
      ...{ kind: 'call', id, tool, arguments: new JsonText(params.get('arguments') ?? '{}') },
      ...{ isTask: params.has('task'), isTyped: meta.has(VERSION) },
      ...(isId(progressToken) && { progressToken }),
      ...(inputResponses !== undefined && { inputResponses }),
    };
  } catch {
    return refuse(
      'The call has no name, or arguments that are no object, so it was not forwarded.',
      INVALID_PARAMS,
    );
  }
}

const VERSION = 'io.modelcontextprotocol/protocolVersion';

function stringOf(text: string | undefined): string | undefined {
  return text?.startsWith('"') ? (JSON.parse(text) as string) : undefined;
}

/** A string or a number. */
const isId = (text: string | undefined): text is string =>
  text !== undefined && /^["\d-]/.test(text);

/** Letters only: what a lenient server could take for the same name. */
export const folded = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
