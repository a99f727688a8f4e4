/**
 * What stands in Slack about a request. Nothing an agent or a person wrote is ever looked at for markup: it stands in blocks
 * of plain or preformatted text, and escaped in the line that readers without blocks see.
 */
import type { ApprovalRequest } from './approval-requests.ts';

interface PlainText {
  readonly type: 'plain_text';
  readonly text: string;
  readonly emoji: false;
}

interface Button {
  readonly type: 'button';
  readonly action_id: string;
  readonly text: PlainText;
  readonly value?: string;
  readonly url?: string;
  readonly style?: 'primary' | 'danger';
}

interface LiteralText {
  readonly type: 'text';
  readonly text: string;
  readonly style?: { readonly bold: true };
}

export type SlackBlock =
  | { readonly type: 'header'; readonly text: PlainText }
  | {
      readonly type: 'rich_text';
      readonly elements: { readonly type: 'rich_text_section' | 'rich_text_preformatted'; readonly elements: LiteralText[] }[];
    }
  | { readonly type: 'context'; readonly elements: PlainText[] }
  | { readonly type: 'actions'; readonly elements: Button[] };

export interface SlackText {
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

export const APPROVE_ACTION = 'countersign_approve';
export const DENY_ACTION = 'countersign_deny';
const OPEN_ACTION = 'countersign_open';

/** Slack's own limits are 150 for a header, 75 for a button and some thousands for a text. */
const MAX_HEADER = 140;
const MAX_FACT = 500;
const MAX_REASON = 1_000;
const MAX_ARGUMENTS = 2_500;

/** For text in which Slack looks for markup: what is left has no meaning there. */
export function escapeSlackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Characters nobody sees, or that turn the order of what is read around. */
const DECEPTIVE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** The text with deceptive characters written as JSON would escape them, cut at `max` characters. */
function shown(text: string, max: number): { readonly text: string; readonly cut: boolean } {
  const characters = Array.from(text.slice(0, 2 * max));
  const kept = characters.slice(0, max).join('');
  const visible = kept.replaceAll(DECEPTIVE, (found) =>
    found === '\n' || found === '\t' ? found : `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
  return { text: visible, cut: kept.length < text.length };
}

function line(text: string, max: number): string {
  const { text: kept, cut } = shown(text.replaceAll(/\s+/g, ' '), max);
  return cut ? `${kept}…` : kept;
}

const plain = (text: string): PlainText => ({ type: 'plain_text', text, emoji: false });

/** `Name: text` lines, in one block. */
function facts(pairs: readonly (readonly [string, string | undefined])[]): SlackBlock {
  const given = pairs.filter((pair): pair is readonly [string, string] => pair[1] !== undefined && pair[1] !== '');
  const elements = given.flatMap(([name, text], index): LiteralText[] => [
    { type: 'text', text: `${index === 0 ? '' : '\n'}${name}: `, style: { bold: true } },
    { type: 'text', text },
  ]);
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

function aboutRequest(request: ApprovalRequest): readonly SlackBlock[] {
  const { text, cut } = shown(request.arguments.text, MAX_ARGUMENTS);
  const reason = request.route?.reason;
  return [
    facts([
      ['Tool', line(request.tool, MAX_FACT)],
      ['Server', request.server === undefined ? undefined : line(request.server, MAX_FACT)],
      ['Agent', `${line(request.agentName, MAX_FACT)} (${request.agentSlug}), ${line(request.agentInstanceName, MAX_FACT)}`],
      ['Why people are asked', reason === undefined ? undefined : line(reason, MAX_REASON)],
    ]),
    { type: 'rich_text', elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }] },
    ...(cut
      ? [note(`The arguments are truncated here: ${request.arguments.text.length} characters in all. Open the request to see them.`)]
      : []),
  ];
}

const note = (text: string): SlackBlock => ({ type: 'context', elements: [plain(text)] });

const openButton = (url: string): Button => ({ type: 'button', action_id: OPEN_ACTION, text: plain('Open'), url });

/** Minutes as people read them, always in UTC: a message has readers in many zones. */
function instant(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Asks whoever reads it to decide. `url`: where the request is opened. */
export function askingMessage(request: ApprovalRequest, url: string): SlackText {
  const title = `${request.urgency === 'interrupt' ? 'Urgent approval' : 'Approval'} needed: ${line(request.tool, MAX_HEADER - 40)}`;
  return {
    text: escapeSlackText(`${title} (${line(request.agentName, MAX_FACT)})`),
    blocks: [
      { type: 'header', text: plain(title) },
      ...aboutRequest(request),
      note(`To be decided by ${instant(request.deadlineAt)}.`),
      {
        type: 'actions',
        elements: [
          { type: 'button', action_id: APPROVE_ACTION, text: plain('Approve'), value: request.id, style: 'primary' },
          { type: 'button', action_id: DENY_ACTION, text: plain('Deny'), value: request.id, style: 'danger' },
          openButton(url),
        ],
      },
    ],
  };
}

/** How a request ended and by whom, as a sentence's beginning: `Approved by Ada Marsh`. */
export function outcomeOf({ state, decision }: ApprovalRequest): string {
  const by = decision?.reviewerDisplayName;
  switch (state) {
    case 'approved':
    case 'denied': {
      const word = state === 'approved' ? 'Approved' : 'Denied';
      if (by !== undefined) return `${word} by ${line(by, MAX_FACT)}`;
      return `${word} by a rule`;
    }
    case 'expired':
      return 'Expired without a decision';
    case 'cancelled':
      return decision?.channel === 'aap' ? 'Cancelled by the agent' : 'Cancelled';
    default:
      return 'Waiting for a decision';
  }
}

/** In the place of the message that asked: without buttons. */
export function answeredMessage(request: ApprovalRequest, url: string): SlackText {
  const { decision } = request;
  const title = line(`${outcomeOf(request)}: ${request.tool}`, MAX_HEADER);
  return {
    text: escapeSlackText(title),
    blocks: [
      { type: 'header', text: plain(title) },
      ...aboutRequest(request),
      facts([
        ['Answer', outcomeOf(request)],
        ['Note', decision?.note === undefined ? undefined : line(decision.note, MAX_REASON)],
        ['At', decision && instant(decision.decidedAt)],
        ['Decided in', decision?.channel],
      ]),
      { type: 'actions', elements: [openButton(url)] },
    ],
  };
}

/** Says that messages arrive. */
export function testMessage(organizationName: string): SlackText {
  const text = `Countersign can send messages here for ${line(organizationName, MAX_FACT)}.`;
  return { text: escapeSlackText(text), blocks: [facts([['Test message', text]])] };
}
