/** What people are told about a request, as plain text. What an agent wrote is fenced: it cannot pass for our own words. */
import { formatDuration } from '../../domain/durations.ts';
import type { NotifiedDelivery } from './sender.ts';

const EXCERPT_CHARACTERS = 1_000;
const NAME_CHARACTERS = 120;
/** Turn around or hide what a reader sees. */
const DECEPTIVE = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** On one line, short enough for a heading. */
export function oneLine(text: string, most = NAME_CHARACTERS): string {
  const line = text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll(DECEPTIVE, '')
    .trim();
  const characters = [...line];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line;
}

/** The beginning of exact JSON text, character for character; what could deceive the eye is written as JSON's own escape. */
export function excerpt(json: string, most = EXCERPT_CHARACTERS): string {
  const characters = [...json.slice(0, most * 2)];
  const shown = characters.slice(0, most).join('');
  const cut = shown.length < json.length ? `\n… (truncated: the first ${most} characters)` : '';
  return shown.replaceAll(DECEPTIVE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`) + cut;
}

function instant(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function indented(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `    ${line}`)
    .join('\n');
}

/** `refund (server billing)` */
export function toolName({ request }: Pick<NotifiedDelivery, 'request'>): string {
  const tool = oneLine(request.tool);
  return request.server === undefined ? tool : `${tool} (server ${oneLine(request.server)})`;
}

export function notifiedSubject({ request }: NotifiedDelivery): string {
  const urgent = request.urgency === 'interrupt' ? 'Urgent: ' : '';
  return `${urgent}${oneLine(request.agentName, 60)} asks for approval of ${oneLine(request.tool, 80)}`;
}

export function notifiedText(delivery: NotifiedDelivery): string {
  const { request, level, url, recipient } = delivery;
  const reason = request.route?.reason;
  return [
    `${oneLine(recipient.displayName)}, your answer is asked for:`,
    '',
    url,
    '',
    'The link opens the request; approving or denying is done there, signed in.',
    '',
    `Agent:     ${oneLine(request.agentName)}, instance ${oneLine(request.agentInstanceName)}`,
    `Tool:      ${toolName(delivery)}`,
    ...(reason === undefined ? [] : [`Reason:    ${oneLine(reason, 500)}`]),
    `Asked at:  ${instant(request.createdAt)}`,
    `Deadline:  ${instant(request.deadlineAt)}`,
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
  return [`Level:     ${round}; others are asked at ${instant(escalateAt)}, after ${wait}`];
}
