/**
 * A page of a person who is signed in brings the answers of the calls that it makes first. On a slow processor, three calls
 * in a row take as long as drawing the page. The calls are made in this process, as the browser would make them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from 'koa';
import { sessionCookie } from '../http/authentication.ts';

/** One call of GET. */
export interface FirstCall {
  readonly operationId: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
}

/** The body of the answer to a call with the credential of the page. Undefined: it is no 200. */
export type Ask = (call: FirstCall) => Promise<string | undefined>;

const ACCOUNT = { operationId: 'getMe', path: '/api/v1/me', params: {}, query: '' };
const CHANGES = {
  operationId: 'listRequestChanges',
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

/** A page that is not there by then asks by itself. */
const LIMIT_MS = 500;

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
  const query = `view=summary&limit=50&${shown}`;
  return [{ operationId: 'listRequests', path: '/api/v1/requests', params: {}, query }];
}

const requestCall = (id: string): FirstCall => ({
  ...{ operationId: 'getRequest', path: `/api/v1/requests/${id}`, params: { id }, query: '' },
});

/** Elements for the page, one for each answer. Empty where the service does not answer in time. */
export async function firstAnswers(ask: Ask, calls: readonly FirstCall[]): Promise<string> {
  const answered = new AbortController();
  const late = delay(LIMIT_MS, '', { signal: answered.signal }).catch(() => '');
  try {
    return await Promise.race([answersTo(ask, calls), late]);
  } finally {
    answered.abort();
  }
}

/** Changes are named from a moment before anything is listed, so that none falls between. */
async function answersTo(ask: Ask, calls: readonly FirstCall[]): Promise<string> {
  const first = await Promise.all([ACCOUNT, CHANGES].map(asElement(ask)));
  if (first.includes('')) return first.join('');
  return [...first, ...(await Promise.all(calls.map(asElement(ask))))].join('');
}

const asElement = (ask: Ask) => async (call: FirstCall) => {
  // The page makes a call again that failed, and learns why.
  const body = await ask(call).catch(() => undefined);
  if (body === undefined) return '';
  const address = call.query === '' ? call.path : `${call.path}?${call.query}`;
  return `<template data-call="${escaped(address)}">${escaped(body)}</template>`;
};

/** Every character survives. A browser would read a carriage return as a line feed. */
const escaped = (text: string): string =>
  text.replaceAll(/[&<\r]/g, (character) => `&#${character.charCodeAt(0)};`);
