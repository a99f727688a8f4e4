/** Tells owners, and the default channel, that no one is left to decide a request. Without arguments. */
import type { ApprovalRequest } from '../requests/approval-requests.ts';
import { shownInstant, shownLine } from '../shown-text.ts';

export interface UnreachableNotice {
  readonly request: ApprovalRequest;
  /** The page of the request in the web app. */
  readonly url: string;
}

const TITLE = 'No one left to decide';

/** What happened, and what an owner can do. */
export const UNREACHABLE_TEXT =
  'Of the people this request asked, or would ask, none can decide it, or no message reached them. ' +
  'Any owner can decide it, or ask a colleague for help on its page.';

export function unreachableSubject({ request }: Pick<UnreachableNotice, 'request'>): string {
  return `${TITLE}: ${shownLine(request.tool, 80)} (${shownLine(request.agentName, 60)})`;
}

/** The email. */
export function unreachableText(
  { request, url }: UnreachableNotice,
  recipient: { readonly displayName: string },
): string {
  return [
    `Hello ${shownLine(recipient.displayName)},`,
    '',
    UNREACHABLE_TEXT,
    'Without a decision it expires:',
    '',
    url,
    '',
    'Opening the link does not approve anything.',
    '',
    `Agent:      ${shownLine(request.agentName)} (${shownLine(request.agentInstanceName)})`,
    `Tool:       ${shownLine(request.tool)}`,
    `Decide by:  ${shownInstant(request.deadlineAt)}`,
    '',
    'You get this message once, because you are an owner of the organization.',
  ].join('\n');
}
