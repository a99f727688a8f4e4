/** A message that shows a call only in part, or one that may deceive, offers no approval. A press that claims otherwise is refused. */
import { findOwnViews } from '../../../data/agents/tool-presentations.ts';
import { findRequest } from '../../../data/requests/read.ts';
import { SLACK_ROOM } from '../../../domain/notifications/slack/messages.ts';
import { isTerminal } from '../../../domain/requests/approval-requests.ts';
import type { MessageContext } from '../../context.ts';
import { textOfRequest } from '../shown-request.ts';

interface Approved {
  readonly organizationId: string;
  readonly requestId: string;
}

/** True where the decision itself says what is wrong: another organization's request, or one that is over. */
export async function isApprovableInSlack(
  { db }: MessageContext,
  { organizationId, requestId }: Approved,
): Promise<boolean> {
  const request = (await findRequest(db, requestId))?.request;
  if (request?.organizationId !== organizationId || isTerminal(request.state)) return true;
  const [own] = await findOwnViews(db, [request]);
  return textOfRequest(request, own, SLACK_ROOM).isWhole;
}

export const OPEN_TO_APPROVE =
  'Slack shows only a part of this call, or it has warnings. Open it to approve.';
