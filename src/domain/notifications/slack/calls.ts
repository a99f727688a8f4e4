/** Slack's calls: a button click or a slash command, read from the posted form. */
import { APPROVE_ACTION, DENY_ACTION } from './messages.ts';

/** A click on Approve or Deny. */
export interface ButtonClick {
  readonly slackUserId: string;
  /** The user belongs to another workspace, in a channel that several workspaces share. */
  readonly isForeign: boolean;
  readonly requestId: string;
  readonly status: 'approved' | 'denied';
  /** Where to post an ephemeral answer to this user. */
  readonly responseUrl: string;
}

export interface SlashCommand {
  readonly slackUserId: string;
  readonly verb: 'link' | 'unlink' | 'help';
  /** What follows the verb. */
  readonly argument: string;
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

/** Undefined for clicks on anything else, such as a link. */
export function readButtonClick(body: string): ButtonClick | undefined {
  const payload = payloadOf(new URLSearchParams(body));
  const actions = Array.isArray(payload['actions'])
    ? (payload['actions'] as readonly unknown[])
    : [];
  const action = asFields(actions[0]);
  const user = asFields(payload['user']);
  const slackUserId = textOf(user['id']) ?? '';
  const isForeign =
    user['team_id'] !== undefined && user['team_id'] !== asFields(payload['team'])['id'];
  const requestId = textOf(action['value']) ?? '';
  const status = statusOf(action['action_id']);
  if (
    payload['type'] !== 'block_actions' ||
    !status ||
    !UUID.test(requestId) ||
    !USER_ID.test(slackUserId)
  )
    return undefined;
  return {
    slackUserId,
    isForeign,
    requestId,
    status,
    responseUrl: textOf(payload['response_url']) ?? '',
  };
}

function statusOf(actionId: unknown): ButtonClick['status'] | undefined {
  if (actionId === APPROVE_ACTION) return 'approved';
  return actionId === DENY_ACTION ? 'denied' : undefined;
}

export function readCommand(body: string): SlashCommand | undefined {
  const form = new URLSearchParams(body);
  const slackUserId = form.get('user_id') ?? '';
  if (!USER_ID.test(slackUserId)) return undefined;
  const [verb = '', ...rest] = (form.get('text') ?? '').trim().split(/\s+/);
  const known = (['link', 'unlink'] as const).find((candidate) => candidate === verb.toLowerCase());
  return { slackUserId, verb: known ?? 'help', argument: rest.join(' ') };
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

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
