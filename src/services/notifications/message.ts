/** What people are told about a request, as plain text. What an agent wrote is fenced: it cannot pass for our own words. */
import { formatDuration } from '../../domain/durations.ts';
import { shownInstant, shownLine, shownText } from '../../domain/shown-text.ts';
import type { NotifiedDelivery } from './sender.ts';

const EXCERPT_CHARACTERS = 1_000;

/** The beginning of the arguments, character for character but for what could deceive the eye. */
function excerpt(json: string): string {
  const { text, isCut } = shownText(json, EXCERPT_CHARACTERS);
  return isCut ? `${text}\n… (truncated here: ${json.length} characters in all)` : text;
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
  const urgent = request.urgency === 'interrupt' ? 'Urgent: ' : '';
  return `${urgent}${shownLine(request.agentName, 60)} asks for approval of ${shownLine(request.tool, 80)}`;
}

export function notifiedText(delivery: NotifiedDelivery): string {
  const { request, level, url, recipient } = delivery;
  const reason = request.route?.reason;
  return [
    `${shownLine(recipient.displayName)}, your answer is asked for:`,
    '',
    url,
    '',
    'The link opens the request; approving or denying is done there, signed in.',
    '',
    `Agent:     ${shownLine(request.agentName)}, instance ${shownLine(request.agentInstanceName)}`,
    `Tool:      ${toolName(delivery)}`,
    ...(reason === undefined ? [] : [`Reason:    ${shownLine(reason, 500)}`]),
    `Asked at:  ${shownInstant(request.createdAt)}`,
    `Deadline:  ${shownInstant(request.deadlineAt)}`,
    ...levelLines(level),
    '',
    'Arguments, as the agent sent them:',
    '',
    indented(excerpt(request.arguments.text)),
  ].join('\n');
}

function levelLines({ nodeId, run, escalateAt, notifiedAt }: NotifiedDelivery['level']): string[] {
  if (nodeId === undefined) return [];
  const round = run > 1 ? `asked again, round ${run}` : 'asked for the first time in this round';
  if (!escalateAt) return [`Level:     ${round}`];
  const wait = formatDuration(Math.round((escalateAt.getTime() - notifiedAt.getTime()) / 1_000));
  return [
    `Level:     ${round}; unanswered, this level ends at ${shownInstant(escalateAt)}, after ${wait}`,
  ];
}
