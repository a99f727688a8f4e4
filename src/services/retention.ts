/**
 * Purges what is kept for a time only, such as messages that were delivered, a limited number each
 * minute. Each function of `PURGES` says what it deletes, and when.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { deleteOldEnrollments } from '../data/agents/agent-enrollments.ts';
import { deleteOldOperations } from '../data/agents/instance-operations.ts';
import { deleteFinished } from '../data/notifications/notification-deliveries.ts';
import { deleteFinishedEvents } from '../data/receivers/receiver-events.ts';
import { deleteRemovedTools } from '../data/agents/tool-catalog.ts';
import { deleteOldJudgeBudgets } from '../data/pipelines/judge-budgets.ts';
import { deleteOldAssessments } from '../data/pipelines/request-assessments.ts';
import { deleteOldWithdrawals } from '../data/requests/withdrawn-keys.ts';
import { deleteForgottenAccountMails } from '../data/sign-in/account-mails.ts';
import { deleteOldWebhookDeliveries } from '../data/webhooks/webhook-deliveries.ts';
import { purgeUnclaimed } from './agents/unclaimed-instances.ts';
import { deleteUnusedClients } from '../data/oauth/oauth-clients.ts';
import {
  deleteExpiredRefreshTokens,
  forgetRepeatableTokens,
} from '../data/oauth/oauth-refresh-tokens.ts';
import { purgeUnusedCodes } from './oauth/oauth-codes.ts';
import { deleteOldSecrets } from '../data/webhooks/signing-secrets.ts';
import type { ServiceContext } from './context.ts';

const EVERY_MS = 60_000;
/** Small enough not to block other work; all batches together purge more than a minute can send. */
const BATCH = 500;
const BATCHES = 50;

const PURGES = [
  deleteFinished,
  deleteFinishedEvents,
  deleteOldWebhookDeliveries,
  deleteOldSecrets,
  deleteOldOperations,
  deleteOldWithdrawals,
  purgeUnclaimed,
  deleteOldEnrollments,
  deleteRemovedTools,
  deleteOldAssessments,
  deleteOldJudgeBudgets,
  deleteForgottenAccountMails,
  purgeUnusedCodes,
  forgetRepeatableTokens,
  deleteExpiredRefreshTokens,
  deleteUnusedClients,
];

export interface Purging {
  stop(): Promise<void>;
}

export function startPurging(context: ServiceContext): Purging {
  const stopping = new AbortController();
  const running = purgeWhileRunning(context, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Never rejects. */
async function purgeWhileRunning(context: ServiceContext, stopping: AbortSignal): Promise<void> {
  while (await delay(EVERY_MS, true, { signal: stopping }).catch(() => false)) {
    await purgeBatch(context, stopping).catch((error: unknown) => {
      context.logger.warn(
        { err: error },
        'old rows could not be purged; the next round tries again',
      );
    });
  }
}

/** One round. Exported for tests. */
export async function purgeBatch({ db }: ServiceContext, stopping: AbortSignal): Promise<void> {
  for (const purge of PURGES) {
    let purged = BATCH;
    for (let batch = 0; purged === BATCH && batch < BATCHES && !stopping.aborted; batch += 1)
      purged = await purge(db, BATCH);
  }
}
