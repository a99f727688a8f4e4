/** Sending one answer to one request, once, whatever happens to the connection or the page. */
import { useQueryClient } from '@tanstack/react-query';
import { v4 } from 'uuid';
import { ApiError, call } from '../../../shell/api.ts';
import { useSensitiveMutation } from '../../../shell/recent-authentication.tsx';
import { accountQuery } from '../../../shell/session.ts';
import { requests as text } from '../../../text/requests.ts';
import type { RequestDetail } from '../requests-data.ts';

export type Intent = 'approved' | 'denied';

/** What a person answers, and what they must see before they confirm. */
export interface AnswerableCall {
  readonly request: RequestDetail;
  /** The value a reader decides by, as its source text. */
  readonly mainValue: string | undefined;
  readonly flags: readonly string[];
}

export interface Answer {
  readonly id: string;
  readonly intent: Intent;
  readonly note: string;
  /** Of the text that was drawn. Absent where it is not what the service holds: then one can only deny. */
  readonly digest: string | undefined;
  readonly key: string;
  /** Who answers. A retry never answers for the person who signed in after them. */
  readonly actor: string;
}

const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

/** The service may have decided already: the same key makes every further try the same decision. */
const isUnconfirmed = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

const SIGNED_OUT = {
  status: 401,
  code: 'signed_out',
  message: text.signedOut,
  details: {},
  requestId: undefined,
};

export function useDecision() {
  const queries = useQueryClient();
  return useSensitiveMutation({
    // React Query would otherwise keep an answer while offline, and send it later by itself.
    networkMode: 'always',
    retry: (_count, error) => isUnconfirmed(error),
    retryDelay: (count) => RETRY_MS[Math.min(count, RETRY_MS.length - 1)] ?? 0,
    mutationFn: async ({ id, intent, note, digest, key, actor }: Answer) => {
      if (queries.getQueryData(accountQuery.queryKey)?.principal.actor_id !== actor)
        throw new ApiError(SIGNED_OUT);
      return await call('post', '/api/v1/requests/{id}/decision', {
        params: { path: { id }, header: { 'Idempotency-Key': key } },
        body: {
          status: intent,
          ...(note !== '' && { note }),
          ...(digest !== undefined && { seen: { arguments_digest: digest } }),
        },
      });
    },
    onSuccess: (_answer, { id }) => {
      noteDraft.remove(id);
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['requests'] });
    },
  });
}

/** One key for each request and intent, which outlives a reload of the page. */
export function decisionKey(id: string, intent: Intent): string {
  const name = `decision:${id}:${intent}`;
  const kept = sessionStorage.getItem(name);
  if (kept !== null) return kept;
  const key = v4();
  sessionStorage.setItem(name, key);
  return key;
}

/** What someone types about a request survives a reload, a sign-in and a failed call. */
export const noteDraft = {
  read: (id: string): string => sessionStorage.getItem(`note:${id}`) ?? '',
  write: (id: string, note: string): void => {
    sessionStorage.setItem(`note:${id}`, note);
  },
  remove: (id: string): void => {
    sessionStorage.removeItem(`note:${id}`);
  },
};

/** What an answer is bound to. Any change of it disarms the bar. */
export const bindingOf = ({ id, updated_at: version }: RequestDetail, digest: string): string =>
  `${id} ${version} ${digest}`;
