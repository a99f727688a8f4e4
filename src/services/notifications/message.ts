/**
 * The notification email, as plain text. Text from an agent is indented or cut to one line, so that
 * it cannot pass for ours.
 */
import { formatDuration } from '../../domain/durations.ts';
import { shownInstant, shownLine, shownText } from '../../domain/shown-text.ts';
import type { NotifiedDelivery } from './sender.ts';

const EXCERPT_CHARACTERS = 1_000;

/** The beginning of the arguments. Only characters that could mislead a reader are replaced. */
function excerpt(json: string): string {
  const { text, isCut } = shownText(json, EXCERPT_CHARACTERS);
  return isCut ? `${text}\n… (truncated, ${json.length} characters in total)` : text;
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}

/** `refund (server billing)` */
function toolName({ request }: Pick<NotifiedDelivery, 'request'>): string {
  const tool = shownLine(request.tool);
  return request.server === undefined ? tool : `${tool} (server ${shownLine(request.server)})`;
}

export function notifiedSubject({ request }: NotifiedDelivery): string {
  const title = request.urgency === 'interrupt' ? 'Urgent approval needed' : 'Approval needed';
  return `${title}: ${shownLine(request.tool, 80)} (${shownLine(request.agentName, 60)})`;
}

export function notifiedText(delivery: NotifiedDelivery): string {
  const { request, level, url, recipient } = delivery;
  const reason = request.route?.reason;
  return [
    `Hello ${shownLine(recipient.displayName)},`,
    '',
    'An agent is waiting for your decision. Sign in to approve or deny the request:',
    '',
    url,
    '',
    'Opening the link does not approve anything.',
    '',
    `Agent:      ${shownLine(request.agentName)} (${shownLine(request.agentInstanceName)})`,
    `Tool:       ${toolName(delivery)}`,
    ...(reason === undefined ? [] : [`Reason:     ${shownLine(reason, 500)}`]),
    `Requested:  ${shownInstant(request.createdAt)}`,
    `Deadline:   ${shownInstant(request.deadlineAt)}`,
    ...escalationLines(level),
    '',
    'Arguments from the agent:',
    '',
    indented(excerpt(request.arguments.text)),
  ].join('\n');
}

/** Does not promise that others are asked next: the last level has no successor. */
function escalationLines(level: NotifiedDelivery['level']): string[] {
  const { nodeId, run, escalateAt, notifiedAt } = level;
  if (nodeId === undefined) return [];
  const round = run > 1 ? [`Reminder:   you are asked again, in round ${run}`] : [];
  if (!escalateAt) return round;
  const wait = formatDuration(Math.round((escalateAt.getTime() - notifiedAt.getTime()) / 1_000));
  return [...round, `Respond by: ${shownInstant(escalateAt)} (within ${wait})`];
}
