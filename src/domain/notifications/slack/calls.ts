/** Slack's calls: a button click, a sent note or a slash command, read from the posted form. */
import { APPROVE_ACTION, DENY_ACTION, readButtonValue, WRITE_NOTE_ACTION } from './messages.ts';
import { NOTE_FORM, noteFormOrigin } from './note-form.ts';

/** A click on Approve, Deny or Deny with note, or a sent note. */
export interface SlackInteraction {
  readonly slackUserId: string;
  /** The user belongs to another workspace, in a channel that several workspaces share. */
  readonly isForeign: boolean;
  readonly requestId: string;
  /** The member the message went to, or who opened the form. Absent in a channel, where anyone may press. */
  readonly membershipId?: string;
  /** `write_note` asks for the form, whose submission is a `deny`. */
  readonly action: 'approve' | 'deny' | 'write_note';
  /** Only with `deny`. */
  readonly note?: string;
  /** Opens a form, for three seconds. */
  readonly triggerId: string;
  /** Where to post an ephemeral response to this user. */
  readonly responseUrl: string;
}

export interface SlashCommand {
  readonly slackUserId: string;
  readonly verb: 'link' | 'unlink' | 'help';
  /** What follows the verb. */
  readonly argument: string;
  /** Where to post an ephemeral response to this user, when it comes late. */
  readonly responseUrl: string;
}

type Fields = Readonly<Record<string, unknown>>;

const USER_ID = /^[A-Z0-9]{2,40}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The workspace that a call claims, not yet verified; undefined when it names none or several. */
export function teamOf(body: string): string | undefined {
  const form = new URLSearchParams(body);
  const clickedIn = form.has('payload')
    ? [textOf(asFields(payloadOf(form)['team'])['id']) ?? '']
    : [];
  const [team, ...others] = new Set([...form.getAll('team_id'), ...clickedIn]);
  return team !== undefined && others.length === 0 && USER_ID.test(team) ? team : undefined;
}

/** Undefined for clicks on anything else, such as a link, and for other forms. */
export function readInteraction(body: string): SlackInteraction | undefined {
  const payload = payloadOf(new URLSearchParams(body));
  const user = asFields(payload['user']);
  const slackUserId = textOf(user['id']) ?? '';
  const asked = askedBy(payload);
  if (!asked || !USER_ID.test(slackUserId)) return undefined;
  if (![asked.requestId, asked.membershipId ?? asked.requestId].every((id) => UUID.test(id)))
    return undefined;
  const isForeign =
    user['team_id'] !== undefined && user['team_id'] !== asFields(payload['team'])['id'];
  const triggerId = textOf(payload['trigger_id']) ?? '';
  return { slackUserId, isForeign, triggerId, ...asked };
}

type Asked = Pick<
  SlackInteraction,
  'requestId' | 'membershipId' | 'action' | 'note' | 'responseUrl'
>;

function askedBy(payload: Fields): Asked | undefined {
  switch (payload['type']) {
    case 'block_actions':
      return askedByButton(payload);
    case 'view_submission':
      return askedByForm(asFields(payload['view']));
    default:
      return undefined;
  }
}

function askedByButton(payload: Fields): Asked | undefined {
  const actions = Array.isArray(payload['actions'])
    ? (payload['actions'] as readonly unknown[])
    : [];
  const button = asFields(actions[0]);
  const action = ACTIONS.get(button['action_id']);
  const named = readButtonValue(textOf(button['value']) ?? '');
  return action && { action, ...named, responseUrl: textOf(payload['response_url']) ?? '' };
}

const ACTIONS: ReadonlyMap<unknown, SlackInteraction['action']> = new Map([
  [APPROVE_ACTION, 'approve'],
  [DENY_ACTION, 'deny'],
  [WRITE_NOTE_ACTION, 'write_note'],
]);

function askedByForm(view: Fields): Asked | undefined {
  const origin = noteFormOrigin(view['private_metadata']);
  if (view['callback_id'] !== NOTE_FORM || !origin) return undefined;
  const values = asFields(asFields(view['state'])['values']);
  const typed = textOf(asFields(asFields(values[NOTE_FORM])[NOTE_FORM])['value']) ?? '';
  const responseUrl = textOf(origin.responseUrl) ?? '';
  return { ...origin, responseUrl, action: 'deny', ...(typed.trim() !== '' && { note: typed }) };
}

export function readCommand(body: string): SlashCommand | undefined {
  const form = new URLSearchParams(body);
  const slackUserId = form.get('user_id') ?? '';
  if (!USER_ID.test(slackUserId)) return undefined;
  const [verb = '', ...rest] = (form.get('text') ?? '').trim().split(/\s+/);
  const known = (['link', 'unlink'] as const).find((candidate) => candidate === verb.toLowerCase());
  const responseUrl = form.get('response_url') ?? '';
  return { slackUserId, verb: known ?? 'help', argument: rest.join(' '), responseUrl };
}

function payloadOf(form: URLSearchParams): Fields {
  try {
    return asFields(JSON.parse(form.get('payload') ?? 'null'));
  } catch {
    return {};
  }
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Without NUL and lone surrogates: Postgres keeps neither, and no keyboard types them. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : undefined;
}
