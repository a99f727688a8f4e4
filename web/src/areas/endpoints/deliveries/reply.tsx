/** What an endpoint responded, or why there was no response. */
import { StateMark } from '../../../shared/design/marks/badge.tsx';
import type { Delivery } from '../endpoints-data.ts';
import { failureText } from '../failure-text.ts';
import { deliveries as text, outcomes } from '../text.ts';

type Reply = Pick<Delivery, 'outcome' | 'error_code' | 'error_cause' | 'status_code'>;

export function ReplyResult(reply: Reply) {
  const failure = failureText(reply);
  if (failure !== undefined) return <StateMark tone="danger">{failure}</StateMark>;
  if (reply.outcome === undefined) return text.running;
  return <StateMark tone="good">{outcomes[reply.outcome]}</StateMark>;
}
