/** Requests that rules answer at once, and one that expires. */
import { randomUUID } from 'node:crypto';
import type { Cast } from './cast.ts';
import { argumentsText, type Client, type Reply } from './client.ts';
import { inMs, inSeconds, type Stage } from './stage.ts';

export interface ApprovalRequest {
  readonly id: string;
  readonly status: string;
  readonly deadline_at: string;
  readonly decision?: {
    readonly status: string;
    readonly note?: string;
    readonly decided_at: string;
  };
}

export interface Question {
  readonly tool: string;
  /** JSON text, sent digit for digit. */
  readonly args: string;
  readonly timeout: string;
}

/** The adapter asks whether a call may run. A repeated `key` is the same question. */
export function ask(
  adapter: Client,
  { tool, args, timeout }: Question,
  key: string = randomUUID(),
): Promise<Reply<ApprovalRequest>> {
  const body = `{"tool": ${JSON.stringify(tool)}, "arguments": ${args}, "timeout": ${JSON.stringify(timeout)}}`;
  return adapter.post('/api/aap/v1/requests', 201, { body, headers: { 'idempotency-key': key } });
}

/** The first call to a new service is unusually slow. */
const MORE = 5;

export async function automaticApproval({ adapter }: Cast, stage: Stage): Promise<void> {
  stage.step('A small refund: a rule approves');
  const args = '{"payment_id": "pay_81", "amount": 12.50}';
  stage.say(`The adapter asks: may refund_payment run with ${args}?`);
  const answer = await ask(adapter, { tool: 'refund_payment', args, timeout: '10m' });
  stage.say(`Answered in ${inMs(answer.ms)}: “${answer.body.decision?.note ?? ''}”`);
  stage.check('approved at once', answer.body.status, 'approved');
  stage.check('the arguments come back digit for digit', argumentsText(answer), args);
  const more = [];
  for (let count = 0; count < MORE; count += 1)
    more.push(await ask(adapter, { tool: 'refund_payment', args, timeout: '10m' }));
  stage.say(`${MORE} more, one after the other: ${more.map(({ ms }) => inMs(ms)).join(', ')}.`);
  const approved = more.filter(({ body }) => body.status === 'approved');
  stage.check('these are approved at once too', approved.length, MORE);
  const again = await adapter.get(`/api/aap/v1/requests/${answer.body.id}`);
  stage.check(
    `read again, the first answer is the same, character for character`,
    again.text,
    answer.text,
  );
}

export async function automaticDenial({ adapter }: Cast, stage: Stage): Promise<void> {
  stage.step('A database is to be dropped: a rule denies');
  const answer = await ask(adapter, {
    tool: 'drop_database',
    args: '{"name": "customers"}',
    timeout: '10m',
  });
  stage.say(`Answered in ${inMs(answer.ms)}: “${answer.body.decision?.note ?? ''}”`);
  stage.check('denied at once', answer.body.status, 'denied');
}

export async function expiry({ adapter }: Cast, stage: Stage): Promise<void> {
  stage.step('A request without an answer: it expires');
  const { body } = await ask(adapter, {
    tool: 'refund_payment',
    args: '{"payment_id": "pay_83", "amount": 250}',
    timeout: '10s',
  });
  stage.check('asked with ten seconds to answer, it waits for a person', body.status, 'pending');
  const answer = await adapter.get<ApprovalRequest>(`/api/aap/v1/requests/${body.id}?wait=30s`);
  const lateMs =
    Date.parse(answer.body.decision?.decided_at ?? '') - Date.parse(answer.body.deadline_at);
  stage.say(
    `The adapter's wait returned after ${inSeconds(answer.ms)}; the expiry was recorded ${inMs(lateMs)} after the deadline.`,
  );
  stage.check('expired', answer.body.status, 'expired');
  // How soon after it depends on the machine, so this is said, not checked.
  stage.check('not before its deadline', lateMs >= 0, true);
}
