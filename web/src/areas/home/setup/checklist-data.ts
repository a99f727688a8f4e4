/** What of the setup is done, as the service says. The demo agent and its requests do not count. Each step is asked alone, so that one that fails hides no other. */
import { queryOptions, useQueries } from '@tanstack/react-query';
import { BACKGROUND, call } from '../../../shared/api/api.ts';
import { hasPermission, type Account } from '../../../shared/session/session.ts';
import type { StepKey } from './text.ts';

interface Check {
  /** Without it, the service would refuse the question, and the step is not shown. */
  readonly permission?: string;
  readonly isDone: (signal: AbortSignal) => Promise<boolean>;
}

const isAnyDecided = async (status: 'approved' | 'denied', signal: AbortSignal) => {
  const params = { query: { status, scope: 'visible', view: 'summary', limit: 25 } } as const;
  const { body } = await call('get', '/api/v1/requests', { params, headers: BACKGROUND, signal });
  return body.requests.some(({ demo }) => !demo);
};

const CHECKS: Readonly<Record<StepKey, Check>> = {
  agent: {
    permission: 'agent.read',
    isDone: async (signal) => {
      const { body } = await call('get', '/api/v1/agents', { headers: BACKGROUND, signal });
      return body.agents.some(({ last_seen_at: seen, demo }) => seen !== undefined && !demo);
    },
  },
  request: {
    permission: 'request.read',
    isDone: async (signal) =>
      (await isAnyDecided('approved', signal)) || (await isAnyDecided('denied', signal)),
  },
  people: {
    permission: 'membership.invite',
    isDone: async (signal) => {
      const { body } = await call('get', '/api/v1/invitations', { headers: BACKGROUND, signal });
      return body.invitations.some(({ status }) => status === 'pending' || status === 'accepted');
    },
  },
  rule: {
    permission: 'pipeline.read',
    isDone: async (signal) => {
      const { body } = await call('get', '/api/v1/request-approval-pipelines', {
        headers: BACKGROUND,
        signal,
      });
      // The first revision is empty.
      return body.request_approval_pipelines.some(({ active_revision: active = 0 }) => active > 1);
    },
  },
  path: {
    permission: 'escalation_path.read',
    isDone: async (signal) => {
      const { body } = await call('get', '/api/v1/escalation-paths', {
        headers: BACKGROUND,
        signal,
      });
      return body.escalation_paths.some(({ active_revision: active }) => active !== undefined);
    },
  },
  factor: {
    isDone: async (signal) =>
      (await call('get', '/api/v1/me/mfa', { headers: BACKGROUND, signal })).body.totp.enrolled,
  },
  channel: {
    permission: 'connection.read',
    isDone: async (signal) => {
      const [{ body }, { body: options }] = await Promise.all([
        call('get', '/api/v1/notification_channels', { headers: BACKGROUND, signal }),
        call('get', '/auth/options', { headers: BACKGROUND, signal }),
      ]);
      // Every organization has the channel of email, also where the service sends none.
      const kinds = ['slack', ...(options.password_reset ? ['email'] : [])];
      return body.notification_channels.some(
        ({ kind, enabled }) => enabled && kinds.includes(kind),
      );
    },
  },
};

/** What is done elsewhere, such as by a program, shows up without a press. */
const LOOK_MS = 10_000;

const checkQuery = (key: StepKey, { isDone }: Check) =>
  queryOptions({
    queryKey: ['setup', 'done', key],
    queryFn: async ({ signal }) => await isDone(signal),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data === true ? false : LOOK_MS),
  });

export function useSteps(account: Account) {
  const keys = (Object.keys(CHECKS) as StepKey[]).filter((key) => {
    const { permission } = CHECKS[key];
    return permission === undefined || hasPermission(account, permission);
  });
  const checks = useQueries({ queries: keys.map((key) => checkQuery(key, CHECKS[key])) });
  return keys.map((key, index) => ({ key, isDone: checks[index]?.data }));
}

/** For everyone who may set up the organization. */
export async function completeSetup(): Promise<void> {
  await call('post', '/api/v1/organization/onboarding/complete');
}
