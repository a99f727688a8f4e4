/**
 * The notification email, as plain text. Text from an agent is indented or cut to one line, so that
 * it cannot pass for ours.
 */
import { formatDuration } from '../durations.ts';
import type { ApprovalRequest } from '../requests/approval-requests.ts';
import { requesterNotice, type RequesterState } from '../requests/call-marks.ts';
import type { CallText, MessageRoom } from '../shown/call-text.ts';
import { ownLength } from '../shown/value-text.ts';
import { shownInstant, shownLine } from '../shown-text.ts';
import type { NotifiedLevel, Recipient } from './notifications.ts';
import { occasionSentence, occasionTitle, type Occasion } from './occasions.ts';
import { timeLeft } from './time-left.ts';

export interface EmailNotification {
  readonly request: ApprovalRequest;
  readonly call: CallText;
  readonly recipient: Pick<Recipient, 'displayName' | 'membershipId'>;
  readonly level: NotifiedLevel;
  readonly occasion: Occasion;
  readonly requesterState: RequesterState;
  /** The page of the request in the web app. */
  readonly url: string;
  /** When it is sent. */
  readonly now: Date;
}

/** How much of a call an email shows. */
export const EMAIL_ROOM: MessageRoom = { total: 4_000, value: 500, name: 120, lengthOf: ownLength };

/** `refund (server billing)` */
function toolName(request: ApprovalRequest): string {
  const tool = shownLine(request.tool);
  return request.server === undefined ? tool : `${tool} (server ${shownLine(request.server)})`;
}

/** `Refund 1249.95 EUR of pay_14 (Support bot), 27 min left` */
export function notifiedSubject({
  request,
  call,
  occasion,
  now,
}: Pick<EmailNotification, 'request' | 'call' | 'occasion' | 'now'>): string {
  const what = shownLine(call.title ?? request.tool, 100);
  const urgent = request.urgency === 'interrupt' ? 'Urgent: ' : '';
  const title = occasionTitle(occasion);
  return `${urgent}${title === undefined ? '' : `${title}: `}${what} (${shownLine(request.agentName, 60)}), ${timeLeft(request.deadlineAt, now)}`;
}

export function notifiedText({
  request,
  call,
  level,
  occasion,
  url,
  recipient,
  requesterState,
  now,
}: EmailNotification): string {
  const reason = request.route?.reason;
  return [
    `Hello ${shownLine(recipient.displayName)},`,
    '',
    ...sentenceLines(occasionSentence(occasion, recipient.membershipId)),
    'An agent is waiting for your decision:',
    '',
    ...(call.title === undefined ? [] : [`    ${call.title}`, '']),
    'Sign in to approve or deny it. Opening the link does not approve anything.',
    '',
    url,
    '',
    `Agent:      ${shownLine(request.agentName)} (${shownLine(request.agentInstanceName)})`,
    `Tool:       ${toolName(request)}`,
    ...(reason === undefined ? [] : [`Reason:     ${shownLine(reason, 500)}`]),
    `Requested:  ${shownInstant(request.createdAt)}`,
    `Decide by:  ${shownInstant(request.deadlineAt)} (${timeLeft(request.deadlineAt, now)})`,
    ...escalationLines(level),
    ...requesterLines(requesterState),
    '',
    ...(call.notes.length > 0 ? [...call.notes, ''] : []),
    'Arguments from the agent:',
    '',
    ...call.lines.map((line) => `    ${line}`),
  ].join('\n');
}

const sentenceLines = (sentence: string | undefined): string[] =>
  sentence === undefined ? [] : [sentence];

/** After an empty line, so that it is not overlooked among the facts. */
function requesterLines(state: RequesterState): string[] {
  const notice = requesterNotice(state);
  return notice === undefined ? [] : ['', notice];
}

/** Does not promise that others are asked next: the last level has no successor. */
function escalationLines(level: NotifiedLevel): string[] {
  const { nodeId, run, escalateAt, notifiedAt } = level;
  if (nodeId === undefined) return [];
  const reminder =
    run > 1 ? [`Reminder:   you are asked again, in run ${run} of the escalation path`] : [];
  if (!escalateAt) return reminder;
  const wait = formatDuration(Math.round((escalateAt.getTime() - notifiedAt.getTime()) / 1_000));
  return [...reminder, `This level waits until ${shownInstant(escalateAt)} (${wait})`];
}
