/** Owners get the newest checkpoint of their audit log once a week, so that a copy is where no administrator writes. */
import { checkpointMail } from '../../domain/audit/checkpoint-mail.ts';
import type { Checkpoint } from '../../domain/audit/checkpoints.ts';
import { takeDueCheckpointMails } from '../../data/audit/checkpoint-mails.ts';
import { listCheckpoints } from '../../data/audit/checkpoints.ts';
import { listOwners } from '../../data/people/owners.ts';
import { insertAccountMail } from '../../data/sign-in/account-mails.ts';
import type { AuditContext } from '../context.ts';
import { startRounds, type Rounds } from '../rounds.ts';

const EVERY_MS = 60_000;
/** Organizations of a transaction. */
const BATCH = 50;

/** Does nothing on a deployment that sends no email, or where its operator turned it off. */
export function startCheckpointMails(context: AuditContext): Rounds {
  const work = async () => {
    if (context.mailer && context.auditMail) await writeCheckpointMails(context);
  };
  return startRounds(context, { what: 'emails with checkpoints', everyMs: EVERY_MS, work });
}

/** Exported for tests: one round. The emails are sent with those about accounts. `floor` moves time. */
export async function writeCheckpointMails(
  { db, publicUrl }: Pick<AuditContext, 'db' | 'publicUrl'>,
  floor?: Date,
): Promise<void> {
  const url = publicUrl();
  for (let taken = BATCH; taken === BATCH;) {
    taken = await db.transaction(async (trx) => {
      const organizationIds = await takeDueCheckpointMails(trx, { limit: BATCH, floor });
      const newest = new Map<string, Checkpoint>();
      for (const id of organizationIds) {
        const [checkpoint] = await listCheckpoints(trx, id, { before: undefined, limit: 1 });
        if (checkpoint) newest.set(id, checkpoint);
      }
      for (const { organizationId, email, displayName } of await listOwners(trx, organizationIds)) {
        const checkpoint = newest.get(organizationId);
        if (!checkpoint) continue;
        const { subject, text: body } = checkpointMail(checkpoint, { displayName, url });
        await insertAccountMail(trx, { address: email, subject, body });
      }
      return organizationIds.length;
    });
  }
}
