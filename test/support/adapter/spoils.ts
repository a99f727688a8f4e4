/** Ways to spoil a response, for mutations. */
import type { BrokenCall, BrokenReply } from '../servers/broken-server.ts';
import { readJson } from './json-source.ts';

export type Spoil = (reply: BrokenReply, call: BrokenCall) => BrokenReply;

export type Where = `${BrokenCall['operation'] | 'any'} ${number | 'any'}`;
export type Json = Record<string, unknown> & {
  decision?: Record<string, unknown>;
  error?: Record<string, unknown>;
};

export const at = (
  where: Where,
  change: (reply: BrokenReply, call: BrokenCall) => Partial<BrokenReply>,
): Spoil => {
  const [operation, status] = where.split(' ');
  return (reply, call) =>
    (operation === 'any' || operation === call.operation) &&
    (status === 'any' || status === String(reply.status))
      ? { ...reply, ...change(reply, call) }
      : reply;
};
export const text = (where: Where, change: (body: string) => string): Spoil =>
  at(where, (reply) => ({ body: change(reply.body.toString()) }));
/** Edits the parsed body and keeps the spelling of the caller's own parts. */
export const json = (where: Where, change: (body: Json) => object): Spoil =>
  text(where, (body) => {
    const parsed = JSON.parse(body) as Json;
    const spelled = readJson(body);
    const members = Object.entries(change({ ...parsed })).map(([key, value]) => {
      const source = spelled.kind === 'object' ? spelled.members.get(key)?.source : undefined;
      return `${JSON.stringify(key)}:${source !== undefined && value === parsed[key] && isOwn(key) ? source : JSON.stringify(value)}`;
    });
    return `{${members.join(',')}}`;
  });
const isOwn = (key: string): boolean => ['arguments', 'context', 'agent_reasoning'].includes(key);
export const swap = (where: Where, before: string, after: string): Spoil =>
  text(where, (body) => body.replace(before, after));
export const header = (where: Where, name: string, value: string | undefined): Spoil =>
  at(where, (reply) => {
    const rest = Object.fromEntries(Object.entries(reply.headers).filter(([key]) => key !== name));
    return { headers: value === undefined ? rest : { ...rest, [name]: value } };
  });
export const decision = (
  where: Where,
  change: (decision: Record<string, unknown>, body: Json) => unknown,
): Spoil =>
  json(where, (body) => {
    if (body.decision) change(body.decision, body);
    return body;
  });
export const error = (where: Where, change: (error: Record<string, unknown>) => unknown): Spoil =>
  json(where, (body) => {
    if (body.error) change(body.error);
    return body;
  });
export const shift = (time: unknown, ms: number): string =>
  new Date(Date.parse(String(time)) + ms).toISOString();

export const failure = (reply: BrokenReply, status: 404 | 409, code: string): BrokenReply => ({
  ...reply,
  status,
  body: JSON.stringify({
    error: {
      type: status === 404 ? 'not_found' : 'conflict',
      code,
      message: 'No.',
      request_id: reply.headers['X-Request-ID'],
    },
  }),
});
