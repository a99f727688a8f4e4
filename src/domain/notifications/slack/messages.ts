/**
 * Slack messages about a request. Text from agents and people never becomes markup: it goes into plain or preformatted
 * blocks, and escaped into the fallback line.
 */
import { requesterNotice, type RequesterState } from '../../requests/call-marks.ts';
import type { ApprovalRequest } from '../../requests/approval-requests.ts';
import { RAN_DIFFERENTLY_TEXT } from '../ran-differently-messages.ts';
import { occasionSentence, type Occasion } from '../occasions.ts';
import { UNREACHABLE_TEXT } from '../unreachable-messages.ts';
import type { CallText, MessageRoom } from '../../shown/call-text.ts';
import { shownInstant, shownLine } from '../../shown-text.ts';

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

/** Slack draws it in the zone of its reader. */
interface DateText {
  readonly type: 'date';
  /** Seconds. */
  readonly timestamp: number;
  readonly format: string;
  /** For clients that cannot. */
  readonly fallback: string;
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
      readonly elements: (
        | {
            readonly type: 'rich_text_section';
            readonly elements: (LiteralText | DateText)[];
          }
        | { readonly type: 'rich_text_preformatted'; readonly elements: LiteralText[] }
      )[];
    }
  | { readonly type: 'context'; readonly elements: PlainText[] }
  | { readonly type: 'actions'; readonly elements: Button[] };

export interface SlackText {
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

export const APPROVE_ACTION = 'countersign_approve';
export const DENY_ACTION = 'countersign_deny';
export const WRITE_NOTE_ACTION = 'countersign_write_note';
const OPEN_ACTION = 'countersign_open';

/** Slack refuses longer headers. A section may hold some thousand characters in total. */
const MAX_HEADER = 150;
const MAX_FACT = 300;
const MAX_REASON = 1_000;
const MAX_NOTE = 1_000;

/** Escapes text that Slack would read as markup. */
export function escapeSlackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Slack counts `&`, `<` and `>` in their escaped form. */
const lengthInSlack = (piece: string): number => escapeSlackText(piece).length;

/** How much of a call a message shows. */
export const SLACK_ROOM: MessageRoom = {
  ...{ total: 2_500, value: 500, name: MAX_FACT },
  lengthOf: lengthInSlack,
};

const line = (text: string, most: number): string => shownLine(text, most, lengthInSlack);

const plain = (text: string): PlainText => ({ type: 'plain_text', text, emoji: false });

type Fact = string | Date;

/** `Name: text` lines, in one block. */
function facts(pairs: readonly (readonly [string, Fact | undefined])[]): SlackBlock {
  const given = pairs.filter(
    (pair): pair is readonly [string, Fact] => pair[1] !== undefined && pair[1] !== '',
  );
  const elements = given.flatMap(([name, fact], index): (LiteralText | DateText)[] => [
    { type: 'text', text: `${index === 0 ? '' : '\n'}${name}: `, style: { bold: true } },
    typeof fact === 'string' ? { type: 'text', text: fact } : dateText(fact),
  ]);
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

const dateText = (at: Date): DateText => ({
  type: 'date',
  timestamp: Math.floor(at.getTime() / 1_000),
  format: '{date_short_pretty} {time}',
  fallback: shownInstant(at),
});

function aboutRequest(request: ApprovalRequest, call: CallText): readonly SlackBlock[] {
  const reason = request.route?.reason;
  return [
    facts([
      ['Tool', line(request.tool, MAX_FACT)],
      ['Server', request.server === undefined ? undefined : line(request.server, MAX_FACT)],
      [
        'Agent',
        `${line(request.agentName, MAX_FACT)} (${request.agentSlug}), ${line(request.agentInstanceName, MAX_FACT)}`,
      ],
      ['Reason', reason === undefined ? undefined : line(reason, MAX_REASON)],
      ['What it would do', cutTitle(call)],
    ]),
    {
      type: 'rich_text',
      elements: [
        {
          type: 'rich_text_preformatted',
          elements: [{ type: 'text', text: call.lines.join('\n') }],
        },
      ],
    },
    ...call.notes.map((text) => note(line(text, MAX_NOTE))),
  ];
}

const note = (text: string): SlackBlock => ({ type: 'context', elements: [plain(text)] });

const openButton = (url: string): Button => ({
  type: 'button',
  action_id: OPEN_ACTION,
  text: plain('Open'),
  url,
});

/** Said again below where the header may not have room for all of it. */
const cutTitle = ({ title }: CallText): string | undefined =>
  title === undefined || lengthInSlack(title) < MAX_HEADER / 3 ? undefined : line(title, MAX_FACT);

/** `Approval needed: Refund 1249.95 EUR of pay_14` */
function titled(beginning: string, { tool }: ApprovalRequest, call?: CallText): string {
  const room = MAX_HEADER - lengthInSlack(`${beginning}: `);
  return `${beginning}: ${line(call?.title ?? tool, room)}`;
}

/** What a button is about. Slack returns it with a press. */
interface ButtonValue {
  readonly requestId: string;
  /** The member the message goes to. Absent in a channel. */
  readonly membershipId?: string;
}

const buttonValue = (requestId: string, membershipId: string | undefined): string =>
  membershipId === undefined ? requestId : `${requestId}/${membershipId}`;

export function readButtonValue(value: string): ButtonValue {
  const [requestId = '', membershipId] = value.split('/');
  return { requestId, ...(membershipId !== undefined && { membershipId }) };
}

interface Asking {
  readonly url: string;
  readonly requiresMfa?: boolean;
  /** The member it goes to. Absent in a channel. */
  readonly membershipId?: string | undefined;
}

/** Asks readers to decide: with buttons, or only at `url` where the organization requires a second factor. */
export function askingMessage(
  request: ApprovalRequest,
  call: CallText,
  { url, requiresMfa = false, membershipId }: Asking,
): SlackText {
  const value = buttonValue(request.id, membershipId);
  const title = titled(
    request.urgency === 'interrupt' ? 'Urgent approval needed' : 'Approval needed',
    request,
    call,
  );
  return {
    text: escapeSlackText(`${title} (${line(request.agentName, MAX_FACT)})`),
    blocks: [
      { type: 'header', text: plain(title) },
      ...aboutRequest(request, call),
      facts([['Decide by', request.deadlineAt]]),
      ...(requiresMfa
        ? [note('Your organization requires a second factor: open the request to decide.')]
        : []),
      {
        type: 'actions',
        elements: requiresMfa ? [openButton(url)] : decidingButtons(value, call, url),
      },
    ],
  };
}

/** Where something is left out or may deceive, one approves at `url` only. */
function decidingButtons(value: string, { isWhole }: CallText, url: string): Button[] {
  const approve: Button = {
    type: 'button',
    action_id: APPROVE_ACTION,
    text: plain('Approve'),
    value,
    style: 'primary',
  };
  const deny: Button = {
    type: 'button',
    action_id: DENY_ACTION,
    text: plain('Deny'),
    value,
    style: 'danger',
  };
  const denyWithNote: Button = {
    type: 'button',
    action_id: WRITE_NOTE_ACTION,
    text: plain('Deny with a note'),
    value,
  };
  return isWhole
    ? [approve, deny, denyWithNote, openButton(url)]
    : [
        { ...openButton(url), text: plain('Open to approve'), style: 'primary' },
        ...[deny, denyWithNote],
      ];
}

/** How a request ended and who decided, as the start of a sentence: `Approved by Ada Marsh`. */
export function outcomeOf({ state, decision }: ApprovalRequest, mostOfName = MAX_FACT): string {
  const by = decision?.reviewerDisplayName;
  switch (state) {
    case 'approved':
    case 'denied': {
      const word = state === 'approved' ? 'Approved' : 'Denied';
      if (by !== undefined) return `${word} by ${line(by, mostOfName)}`;
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

/** Replaces the message that asked; it has no buttons. */
export function decidedMessage(
  request: ApprovalRequest,
  call: CallText,
  { url }: { readonly url: string },
): SlackText {
  const { decision } = request;
  const title = titled(outcomeOf(request, MAX_HEADER / 2), request, call);
  return {
    text: escapeSlackText(title),
    blocks: [
      { type: 'header', text: plain(title) },
      ...aboutRequest(request, call),
      facts([
        ['Outcome', outcomeOf(request)],
        ['Note', decision?.note === undefined ? undefined : line(decision.note, MAX_REASON)],
        ['Time', decision?.decidedAt],
        ['Via', decision && line(decision.channel, MAX_FACT)],
      ]),
      { type: 'actions', elements: [openButton(url)] },
    ],
  };
}

/** Tells that no one is left to decide. It has no buttons to decide with, and no arguments. */
export function unreachableMessage(request: ApprovalRequest, url: string): SlackText {
  const title = titled('No one left to decide', request);
  return {
    text: escapeSlackText(`${title} (${line(request.agentName, MAX_FACT)})`),
    blocks: [
      { type: 'header', text: plain(title) },
      note(UNREACHABLE_TEXT),
      facts([['Decide by', request.deadlineAt]]),
      { type: 'actions', elements: [openButton(url)] },
    ],
  };
}

/** Tells the person who approved a call that another one ran. Without arguments. */
export function ranDifferentlyMessage(request: ApprovalRequest, url: string): SlackText {
  const title = titled('Another call ran than the one you approved', request);
  return {
    text: escapeSlackText(`${title} (${line(request.agentName, MAX_FACT)})`),
    blocks: [
      { type: 'header', text: plain(title) },
      note(RAN_DIFFERENTLY_TEXT),
      { type: 'actions', elements: [openButton(url)] },
    ],
  };
}

/** A digest. `title`: how many more requests wait. */
export function digestMessage(title: string, url: string): SlackText {
  return {
    text: escapeSlackText(title),
    blocks: [
      { type: 'header', text: plain(title) },
      { type: 'actions', elements: [openButton(url)] },
    ],
  };
}

/** The message, with a line before its buttons when the requester can no longer read the decision. */
export function withRequesterNotice(message: SlackText, state: RequesterState): SlackText {
  const notice = requesterNotice(state);
  if (notice === undefined) return message;
  const { blocks } = message;
  return { ...message, blocks: [...blocks.slice(0, -1), note(notice), ...blocks.slice(-1)] };
}

/** The message, with a line below its header that says why it comes again. */
export function withOccasion(
  message: SlackText,
  occasion: Occasion,
  recipientId: string | undefined,
): SlackText {
  const sentence = occasionSentence(occasion, recipientId);
  if (sentence === undefined) return message;
  const { text, blocks } = message;
  return {
    text: `${escapeSlackText(sentence)} ${text}`,
    blocks: [...blocks.slice(0, 1), note(sentence), ...blocks.slice(1)],
  };
}

/** A test message. */
export function testMessage(organizationName: string): SlackText {
  const text = `Countersign can send messages here for ${line(organizationName, MAX_FACT)}.`;
  return { text: escapeSlackText(text), blocks: [facts([['Test message', text]])] };
}
