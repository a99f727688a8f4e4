/** Who is signed in, and how one can sign in. */
import { hashKey, queryOptions, type QueryClient } from '@tanstack/react-query';
import type { components } from '../api/openapi.d.ts';
import { actAs } from '../api/acting-as.ts';
import { ApiError, call } from '../api/api.ts';
import { removeDrafts } from '../browser/drafts.ts';

export type Account = components['schemas']['Account'];

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async ({ signal }) => (await call('get', '/api/v1/me', { signal })).body,
  staleTime: 60_000,
});

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: async ({ signal }) => (await call('get', '/auth/options', { signal })).body,
  staleTime: 60_000,
});

export const mfaQuery = queryOptions({
  queryKey: ['mfa'],
  queryFn: async ({ signal }) => (await call('get', '/api/v1/me/mfa', { signal })).body,
  staleTime: 0,
});

/** For the organization, or at least for some agent or team. */
export const hasPermission = ({ principal }: Account, permission: string): boolean =>
  principal.permissions.some((each) => each === permission);

/** For one agent, or for the whole organization: permissions may be limited to some agents. */
export const hasPermissionFor = (
  { principal }: Account,
  permission: string,
  agent: string | undefined,
): boolean =>
  principal.grants.some(
    ({ permission: held, scope_kind: kind, scope_id: id }) =>
      held === permission &&
      (kind === 'organization' || (agent !== undefined && kind === 'agent' && id === agent)),
  );

/** What making the demo agent takes. */
export const DEMO_PERMISSIONS = ['agent.write', 'agent.credential.issue'] as const;

export const mayRunDemo = (account: Account): boolean =>
  DEMO_PERMISSIONS.every((each) => hasPermissionFor(account, each, undefined));

const OWNER = 'drafts-of';

/**
 * Pages keep what was typed and not sent in the tab's own storage, so that it survives a sign-in.
 * Call it once the person is known: it deletes what anyone else left.
 */
export function keepDraftsOf({ principal }: Account): void {
  removeDrafts({ except: principal.actor_id });
  if (sessionStorage.getItem(OWNER) === principal.actor_id) return;
  sessionStorage.clear();
  sessionStorage.setItem(OWNER, principal.actor_id);
}

/** For pages that are open to all: asks the service, and is undefined without a session. */
export async function currentAccount(queries: QueryClient): Promise<Account | undefined> {
  try {
    const account = await queries.fetchQuery({ ...accountQuery, staleTime: 0 });
    keepDraftsOf(account);
    return account;
  } catch (error) {
    if (error instanceof ApiError && [401, 403].includes(error.status)) return undefined;
    throw error;
  }
}

/** Another user may have been signed in before: nothing of theirs stays. */
export function startSession(queries: QueryClient, account: Account): void {
  queries.clear();
  keepDraftsOf(account);
  queries.setQueryData(accountQuery.queryKey, account);
}

/** All tabs share the cookie. A tab that shows another person's pages would act as the new one. */
const sessions = new BroadcastChannel('countersign-session');

/**
 * Says which person this tab shows, to the service with each change and to other tabs. `onSwitch`: the session turns out to be another
 * person's, as the service says. `onNews`: another tab says so.
 */
export function watchOtherTabs(
  queries: QueryClient,
  { onSwitch, onNews }: { onSwitch: (account: Account) => void; onNews: () => void },
): void {
  let [shown, announced]: (string | undefined)[] = [];
  queries.getQueryCache().subscribe(({ query: { queryHash } }) => {
    if (queryHash !== hashKey(accountQuery.queryKey)) return;
    const account = queries.getQueryData(accountQuery.queryKey);
    const actor = account?.principal.actor_id;
    // The page was made for the one before, and keeps acting for them.
    if (account && shown !== undefined && shown !== actor) {
      onSwitch(account);
      return;
    }
    shown = actor;
    actAs(actor);
    if (actor === announced) return;
    announced = actor;
    if (actor !== undefined) sessions.postMessage(actor);
  });
  sessions.onmessage = ({ data: actor }: MessageEvent<string>) => {
    if (shown !== undefined && shown !== actor) onNews();
  };
}

/** Ends the session. Call `dropSession` once the next page is shown. */
export async function signOut(): Promise<void> {
  await call('post', '/auth/logout');
  sessionStorage.clear();
  removeDrafts();
}

/** Drops what the ended session read. Drafts stay for the same person. */
export function dropSession(queries: QueryClient): void {
  queries.clear();
}
