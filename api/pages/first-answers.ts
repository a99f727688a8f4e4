/**
 * A page of a person who is signed in brings the answers of the calls that it makes first. On a slow processor, these calls
 * are a sixth of the time until it is drawn. This process makes them as the browser would, with the cookie of the page.
 */
import type { Context } from 'koa';
import { unlessAborted } from '../../src/platform/abort.ts';
import { takeTurns } from '../../src/platform/event-loop.ts';
import { sessionCookie } from '../http/authentication.ts';

/** One call of GET. */
export interface FirstCall {
  /** As the endpoint declares it, with `{name}` placeholders. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
}

/** The body of the answer to a call with the credential of the page. Undefined: it is longer, or no 200. May reject. */
export type Ask = (call: FirstCall & { readonly mostBytes: number }) => Promise<string | undefined>;

const ACCOUNT: FirstCall = { path: '/api/v1/me', params: {}, query: '' };
const CHANGES: FirstCall = {
  path: '/api/v1/requests/changes',
  params: {},
  query: 'scope=visible',
};

/** What the tabs of the queue list, as `web/src/areas/requests/queue/queue-search.ts` says. */
const TABS: ReadonlyMap<string, string> = new Map([
  ['asked', 'scope=notified&status=pending'],
  ['mine', 'scope=decidable&status=pending'],
  ['all', 'scope=visible&status=pending'],
  ['decided', 'scope=visible&status=decided'],
]);

const REQUEST = /^\/requests\/(?<id>[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** A page makes a call by itself when its answer is not there by then. */
const LIMIT_MS = 2_000;

/** The same holds for a longer answer. A list of 50 requests usually has 30 to 60 kB. */
const MOST_BYTES = 256 * 1024;

/** What is escaped in one piece: a hundred thousand of `<` hold the event loop for 40 ms. */
const PIECE_CHARACTERS = 16 * 1024;

/** What a page reads after account and changes. Undefined: it brings no answers. */
export function firstCalls(ctx: Context): readonly FirstCall[] | undefined {
  const { headers } = ctx.req;
  // Others read the page without drawing it: an open one that looks for a newer build, or a browser that guesses.
  if (headers['sec-fetch-dest'] !== 'document' || headers['sec-purpose'] !== undefined)
    return undefined;
  if (ctx.method !== 'GET' || sessionCookie(headers) === undefined) return undefined;
  const id = REQUEST.exec(ctx.path)?.groups?.['id'];
  if (ctx.path !== '/' && id === undefined) return undefined;
  return [...listCalls(ctx.query), ...(id === undefined ? [] : [requestCall(id)])];
}

/** A list with filters is read by the page. */
function listCalls({ tab = 'asked', ...filters }: Context['query']): readonly FirstCall[] {
  const shown = typeof tab === 'string' && TABS.get(tab);
  if (!shown || Object.keys(filters).length > 0) return [];
  return [{ path: '/api/v1/requests', params: {}, query: `view=summary&limit=50&${shown}` }];
}

const requestCall = (id: string): FirstCall => ({
  path: '/api/v1/requests/{id}',
  params: { id },
  query: '',
});

/** An element for each answer that is there in time. It never rejects: a page makes a call again that failed, and learns why. */
export async function firstAnswers(ask: Ask, calls: readonly FirstCall[]): Promise<string> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const element = async (call: FirstCall): Promise<string> => {
    const asked = { ...call, mostBytes: MOST_BYTES };
    const body = await unlessAborted(limit, () => ask(asked)).catch(() => undefined);
    return body === undefined ? '' : await elementFor(call, body);
  };
  // Changes are named from a moment before anything is listed, so that none falls between.
  const first = await Promise.all([ACCOUNT, CHANGES].map(element));
  const rest = first.includes('') ? [] : await Promise.all(calls.map(element));
  return [...first, ...rest].join('');
}

async function elementFor({ path, params, query }: FirstCall, body: string): Promise<string> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  const address = query === '' ? filled : `${filled}?${query}`;
  const date = new Date().toUTCString();
  const attributes = `data-call="${escaped(address)}" data-date="${date}"`;
  return `<template ${attributes}>${await escapedInTurns(body)}</template>`;
}

async function escapedInTurns(text: string): Promise<string> {
  const nextPiece = takeTurns();
  let whole = '';
  for (let from = 0; from < text.length; from += PIECE_CHARACTERS) {
    whole += escaped(text.slice(from, from + PIECE_CHARACTERS));
    await nextPiece();
  }
  return whole;
}

/** For attributes without quotation marks in them, and for text. A browser would read a carriage return as a line feed. */
const escaped = (text: string): string =>
  text.replaceAll(/[&<\r]/g, (character) => `&#${character.charCodeAt(0)};`);
