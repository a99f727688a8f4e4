/** The request as the service returns it, compared with what was asked. It has no member that is not known. */
import { msOf } from './durations.ts';
import { canonical, membersOf, type Members } from './exact.ts';
import { Unavailable } from './errors.ts';

/** A call as it is sent. */
export interface SentCall {
  readonly tool: string;
  readonly server?: string | undefined;
  /** JSON texts. */
  readonly arguments: string;
  readonly reasoning?: string | undefined;
  readonly context?: string | undefined;
  readonly timeout: string;
  /** It continues an equal call, whose reasoning, context and timeout may be others. */
  readonly resumes?: boolean;
}

const STATUSES = ['pending', 'approved', 'denied', 'expired', 'cancelled'] as const;
export type Status = (typeof STATUSES)[number];

export interface Request {
  readonly id: string;
  readonly status: Status;
  readonly tool: string;
  readonly server?: string;
  /** JSON text. */
  readonly arguments: string;
  /** All that was asked, as JSON text. */
  readonly question: string;
  readonly deadlineAt: Date;
  readonly note?: string;
  readonly decidedAt?: Date;
  readonly expiresAt?: Date;
}

const REQUIRED = ['id', 'tool', 'arguments', 'timeout', 'status', 'created_at', 'deadline_at'];
const OPTIONAL = ['server', 'agent_reasoning', 'context', 'decision'];
const ECHOED = ['tool', 'server', 'arguments', 'agent_reasoning', 'context', 'timeout'];
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** How long an approval can be used is a setting of the agent, between these. */
const SHORTEST_WINDOW_MS = 60_000;
const LONGEST_WINDOW_MS = 24 * 3_600_000;

export function bodyOf(
  call: SentCall,
  { resume = false }: { readonly resume?: boolean } = {},
): string {
  const members = [
    ['tool', JSON.stringify(call.tool)],
    ['server', call.server === undefined ? undefined : JSON.stringify(call.server)],
    ['arguments', call.arguments],
    ['agent_reasoning', call.reasoning === undefined ? undefined : JSON.stringify(call.reasoning)],
    ['context', call.context],
    ['timeout', JSON.stringify(call.timeout)],
    ['resume', resume ? 'true' : undefined],
  ];
  const present = members.filter(([, value]) => value !== undefined);
  return `{${present.map(([name, value]) => `"${String(name)}":${String(value)}`).join(',')}}`;
}

/** Throws `Unavailable` for a text that is no request, and for one of another call than `sent`. */
export function readRequest(text: string, sent?: SentCall): Request {
  const members = understood(() => membersOf(text));
  closed(members, REQUIRED, OPTIONAL);
  const status = STATUSES.find((each) => each === stringOf(members, 'status')) ?? wrong('status');
  const id = stringOf(members, 'id');
  if (!UUID.test(id)) wrong('id');
  const createdAt = instantOf(members, 'created_at');
  const deadlineAt = instantOf(members, 'deadline_at');
  const decision = members.get('decision');
  if ((status === 'pending') !== (decision === undefined)) wrong('decision');
  if (sent) {
    compare(members, sent);
    const ms = msOf(sent.resumes ? stringOf(members, 'timeout') : sent.timeout, 'timeout');
    if (deadlineAt.getTime() - createdAt.getTime() !== ms) wrong('deadline_at');
  }
  const server = members.has('server') ? stringOf(members, 'server') : undefined;
  const args = members.get('arguments') ?? wrong('arguments');
  if (!args.startsWith('{')) wrong('arguments');
  return {
    ...{ id, status, deadlineAt, arguments: args, tool: stringOf(members, 'tool') },
    question: questionOf(members),
    ...(server !== undefined && { server }),
    ...(decision !== undefined && readDecision(decision, { status, createdAt, deadlineAt })),
  };
}

function questionOf(members: Members): string {
  const asked = ECHOED.flatMap((name) => {
    const text = members.get(name);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${asked.join(',')}}`;
}

function readDecision(
  text: string,
  {
    status,
    createdAt,
    deadlineAt,
  }: { readonly status: Status; readonly createdAt: Date; readonly deadlineAt: Date },
): Pick<Request, 'note' | 'decidedAt' | 'expiresAt'> {
  const members = understood(() => membersOf(text));
  const isApproval = status === 'approved';
  closed(members, ['status', 'decided_at', ...(isApproval ? ['expires_at'] : [])], ['note']);
  if (stringOf(members, 'status') !== status) wrong('decision/status');
  const decidedAt = instantOf(members, 'decided_at');
  if (decidedAt < createdAt || (status !== 'expired' && decidedAt >= deadlineAt))
    wrong('decision/decided_at');
  const note = members.has('note') ? { note: stringOf(members, 'note') } : {};
  if (!isApproval) return { ...note, decidedAt };
  const expiresAt = instantOf(members, 'expires_at');
  const windowMs = expiresAt.getTime() - decidedAt.getTime();
  if (windowMs < SHORTEST_WINDOW_MS || windowMs > LONGEST_WINDOW_MS) wrong('decision/expires_at');
  return { ...note, decidedAt, expiresAt };
}

/** The one start of an approval, in the time in which it can be used. */
export function readStart(text: string, { id, decidedAt, expiresAt }: Request): Date {
  const members = understood(() => membersOf(text));
  closed(members, ['id', 'started_at'], []);
  if (stringOf(members, 'id') !== id) wrong('id');
  const startedAt = instantOf(members, 'started_at');
  if (!decidedAt || !expiresAt || startedAt < decidedAt || startedAt >= expiresAt)
    wrong('started_at');
  return startedAt;
}

function compare(members: Members, sent: SentCall): void {
  const expected: Readonly<Record<string, string | undefined>> = {
    tool: JSON.stringify(sent.tool),
    server: sent.server === undefined ? undefined : JSON.stringify(sent.server),
    arguments: sent.arguments,
    ...(!sent.resumes && {
      agent_reasoning: sent.reasoning === undefined ? undefined : JSON.stringify(sent.reasoning),
      context: sent.context,
      timeout: JSON.stringify(sent.timeout),
    }),
  };
  for (const [name, value] of Object.entries(expected)) {
    const given = members.get(name);
    const isSame =
      given === undefined || value === undefined
        ? given === value
        : given === value || canonical(given) === canonical(value);
    if (!isSame) wrong(name);
  }
}

function closed(members: Members, required: readonly string[], optional: readonly string[]): void {
  for (const name of required) if (!members.has(name)) wrong(name);
  for (const name of members.keys())
    if (!required.includes(name) && !optional.includes(name)) wrong(name);
}

function stringOf(members: Members, name: string): string {
  const text = members.get(name) ?? '';
  return text.startsWith('"') ? (JSON.parse(text) as string) : wrong(name);
}

function instantOf(members: Members, name: string): Date {
  const text = stringOf(members, name);
  const instant = new Date(text);
  return INSTANT.test(text) && !Number.isNaN(instant.getTime()) && instant.toISOString() === text
    ? instant
    : wrong(name);
}

function understood<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw new Unavailable('invalid_response', 'The response is no JSON object of the service.');
  }
}

function wrong(name: string): never {
  throw new Unavailable(
    'invalid_response',
    `The response is not of this call, or not of the service: ${name}.`,
  );
}
