/** Tells the person who approved a call that another one ran. Without arguments. */
import type { ApprovalRequest } from '../requests/approval-requests.ts';
import { shownLine } from '../shown-text.ts';

const TITLE = 'Another call ran than the one you approved';

/** What happened, and what to do. */
export const RAN_DIFFERENTLY_TEXT =
  'The agent reported that a call ran with other arguments than those you approved. ' +
  'Find out what it did, and stop the agent until you know.';

export function ranDifferentlySubject({ tool, agentName }: ApprovalRequest): string {
  return `${TITLE}: ${shownLine(tool, 80)} (${shownLine(agentName, 60)})`;
}

/** The email. `url`: the page of the request in the web app. */
export function ranDifferentlyText(
  { request, url }: { readonly request: ApprovalRequest; readonly url: string },
  recipient: { readonly displayName: string },
): string {
  return [
    `Hello ${shownLine(recipient.displayName)},`,
    '',
    RAN_DIFFERENTLY_TEXT,
    '',
    url,
    '',
    `Agent:  ${shownLine(request.agentName)} (${shownLine(request.agentInstanceName)})`,
    `Tool:   ${shownLine(request.tool)}`,
    '',
    'You get this message because you approved the call.',
  ].join('\n');
}
