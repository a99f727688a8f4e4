/**
 * Sensitive calls. Where the service wants to know again who is there, a dialog asks on top of the
 * page, and then the same call is sent again.
 *
 *     const deny = useSensitiveMutation({ mutationFn: async (decision) => await send(decision) });
 *
 * `mutationFn` may run twice with the same variables: put the idempotency key into them. A person
 * who cancels gets an error with the code `cancelled`, and what they typed stays.
 */
import {
  useMutation,
  useQueryClient,
  type UseMutationOptions,
  type UseMutationResult,
} from '@tanstack/react-query';
import {
  createContext,
  lazy,
  Suspense,
  useCallback,
  useContext,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import { recentAuthentication as text } from './recent-authentication-text.ts';
import { ApiError } from '../api/api.ts';
import { loadPart } from '../browser/new-build.ts';
import type { Missing } from './recent-authentication-dialog.tsx';
import { accountQuery } from './session.ts';

const Dialog = lazy(async () => {
  const { RecentAuthenticationDialog } = await loadPart(
    () => import('./recent-authentication-dialog.tsx'),
  );
  return { default: RecentAuthenticationDialog };
});

const missingIn = (error: unknown): Missing | undefined =>
  error instanceof ApiError &&
  (error.code === 'reauthentication_required' || error.code === 'mfa_required')
    ? error.code
    : undefined;

/** A password can be followed by one code, and a code by one password. */
const MOST_DIALOGS = 2;

type Ask = (missing: Missing) => Promise<boolean>;

const AskContext = createContext<Ask>(() => Promise.resolve(false));

/** Around the pages of people who are signed in. Calls that need it at once share one dialog. */
export function RecentAuthentication({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const [missing, setMissing] = useState<Missing>();
  const open = useRef<{ readonly result: Promise<boolean>; readonly close: (is: boolean) => void }>(
    undefined,
  );
  const ask = useCallback<Ask>((wanted) => {
    if (!open.current) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      open.current = { result: promise, close: resolve };
      setMissing(wanted);
    }
    return open.current.result;
  }, []);
  const close = useMemo(
    () => (isAuthenticated: boolean) => {
      open.current?.close(isAuthenticated);
      open.current = undefined;
      setMissing(undefined);
      if (isAuthenticated) void queries.invalidateQueries({ queryKey: accountQuery.queryKey });
    },
    [queries],
  );
  return (
    <AskContext value={ask}>
      {children}
      {missing && (
        <Suspense>
          <Dialog missing={missing} onClose={close} />
        </Suspense>
      )}
    </AskContext>
  );
}

/** Asks the person at once, for pages that know what is missing. False when they cancel. */
export const useRecentAuthentication = (): Ask => useContext(AskContext);

/** Sends, asks the person where the service wants it, and sends again. */
export function useSensitiveCall(): <Result>(send: () => Promise<Result>) => Promise<Result> {
  const ask = useRecentAuthentication();
  return useCallback(
    async (send) => {
      for (let dialogs = 0; ; dialogs += 1) {
        try {
          return await send();
        } catch (error) {
          const missing = missingIn(error);
          if (missing === undefined || dialogs === MOST_DIALOGS) throw error;
          if (!(await ask(missing))) throw cancelled();
        }
      }
    },
    [ask],
  );
}

/** `useMutation` for sensitive calls. */
export function useSensitiveMutation<Result, Variables = void>({
  mutationFn,
  ...options
}: Omit<UseMutationOptions<Result, Error, Variables>, 'mutationFn'> & {
  readonly mutationFn: (variables: Variables) => Promise<Result>;
}): UseMutationResult<Result, Error, Variables> {
  const call = useSensitiveCall();
  return useMutation({
    ...options,
    mutationFn: async (variables: Variables) => await call(async () => await mutationFn(variables)),
  });
}

function cancelled(): ApiError {
  return new ApiError({
    status: 403,
    code: 'cancelled',
    message: text.cancelled,
    details: {},
    requestId: undefined,
  });
}
