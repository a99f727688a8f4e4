/**
 * Client for Slack's Web API. It makes one call at a time and never retries: the caller decides
 * when to try again.
 */
import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebClient,
  type KnownBlock,
  type Logger,
  type ModalView,
} from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import { connectionFault, type ConnectionFault } from './network/connection-faults.ts';
import { callHttp, fetchAtMost } from './network/http-call.ts';

/** The identity of a bot token. */
export interface SlackIdentity {
  readonly teamId: string;
  readonly teamName: string;
  readonly botUserId: string;
}

export interface SlackMessage {
  /** For notifications and clients that do not show blocks. */
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
  /** The message that it replies to. The reply also appears in the channel. */
  readonly thread?: string;
}

export type SlackForm = Omit<ModalView, 'blocks'> & { readonly blocks: readonly KnownBlock[] };

/** The place of a posted message, to change it later. */
export interface PostedMessage {
  readonly channel: string;
  readonly ts: string;
}

export interface SlackApi {
  /** Rejects with a SlackError, as every method does. */
  identify(token: string): Promise<SlackIdentity>;
  /** Returns the id of the conversation between the bot and the person. */
  openDirectChannel(token: string, slackUserId: string): Promise<string>;
  post(token: string, channel: string, message: SlackMessage): Promise<PostedMessage>;
  update(token: string, posted: PostedMessage, message: SlackMessage): Promise<void>;
  /** Shows a form to the person of a trigger, which lasts three seconds. */
  openForm(token: string, triggerId: string, form: SlackForm): Promise<void>;
  /**
   * Posts a text that only the person who clicked a button sees. `responseUrl` comes from Slack.
   */
  postEphemeral(responseUrl: string, text: string): Promise<void>;
}

/**
 * `refused`: a retry would fail again. `limited`: not before `retryAfterSeconds`. `away`: a later
 * retry may succeed.
 */
export type SlackFailure = 'refused' | 'limited' | 'away';

interface SlackErrorDetails {
  readonly retryAfterSeconds?: number | undefined;
  /** Why no response came, where that is known. */
  readonly errorCause?: ConnectionFault | undefined;
}

export class SlackError extends Error {
  override readonly name = 'SlackError';
  readonly retryAfterSeconds: number | undefined;
  readonly errorCause: ConnectionFault | undefined;

  constructor(
    readonly failure: SlackFailure,
    /** Slack's error code, or ours. Never holds a secret. */
    readonly reason: string,
    { retryAfterSeconds, errorCause }: SlackErrorDetails = {},
  ) {
    super(`Slack: ${errorCause ? `${reason} (${errorCause})` : reason}`);
    this.retryAfterSeconds = retryAfterSeconds;
    this.errorCause = errorCause;
  }
}

const TIMEOUT_MS = 8_000;
const EPHEMERAL_TIMEOUT_MS = 3_000;
/** A client has some hundred methods, so making one costs more than a call. */
const CLIENTS = 100;
const CLIENT_MS = 60_000;

/** Our code: the app is installed for a whole Slack organization, and not in one workspace. */
export const ORG_WIDE_TOKEN = 'org_wide_token';

/** Slack's error codes for temporary faults. */
const PASSING = new Set([
  'fatal_error',
  'internal_error',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
  'org_login_required',
  'rollup_error',
  'ratelimited',
  'rate_limited',
  'message_limit_exceeded',
]);

/** The client would log requests, and with them what people are asked to approve. */
const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => 'error' as ReturnType<Logger['getLevel']>,
  setName: () => undefined,
};

/** Far more than any response has. */
const RESPONSE_BYTES = 1024 * 1024;

/** Slack must not look for links, mentions or previews in a message. */
const LITERAL = {
  mrkdwn: false,
  parse: 'none',
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
} as const;

/** `url`: the base of the Web API, with a trailing slash. */
export function openSlack(url: string): SlackApi {
  const clients = new LRUCache<string, WebClient>({
    max: CLIENTS,
    ttl: CLIENT_MS,
    memoMethod: (token) =>
      new WebClient(token, {
        slackApiUrl: url,
        allowAbsoluteUrls: false,
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
        timeout: TIMEOUT_MS,
        logger: SILENT,
        fetch: fetchAtMost(RESPONSE_BYTES),
      }),
  });
  const as = (token: string): WebClient => clients.memo(token);
  return {
    identify: async (token) => {
      const { team_id, team, user_id, bot_id, is_enterprise_install } = await withSlackErrors(
        as(token).auth.test(),
      );
      if (is_enterprise_install === true) throw new SlackError('refused', ORG_WIDE_TOKEN);
      if (bot_id === undefined) throw new SlackError('refused', 'not_a_bot_token');
      return { teamId: need(team_id), teamName: team ?? '', botUserId: need(user_id) };
    },
    openDirectChannel: async (token, slackUserId) => {
      const { channel } = await withSlackErrors(
        as(token).conversations.open({ users: slackUserId }),
      );
      return need(channel?.id);
    },
    post: async (token, channel, { text, blocks, thread }) => {
      const reply = thread === undefined ? {} : { thread_ts: thread, reply_broadcast: true };
      const posted = await withSlackErrors(
        as(token).chat.postMessage({ channel, text, blocks: [...blocks], ...reply, ...LITERAL }),
      );
      return { channel: need(posted.channel), ts: need(posted.ts) };
    },
    update: async (token, { channel, ts }, { text, blocks }) => {
      await withSlackErrors(
        as(token).chat.update({
          channel,
          ts,
          text,
          blocks: [...blocks],
          parse: 'none',
          link_names: false,
        }),
      );
    },
    openForm: async (token, triggerId, form) => {
      const view = { ...form, blocks: [...form.blocks] };
      await withSlackErrors(as(token).views.open({ trigger_id: triggerId, view }));
    },
    postEphemeral: async (responseUrl, text) => {
      if (!isResponseUrl(responseUrl, url)) throw new SlackError('refused', 'foreign_response_url');
      await post(responseUrl, { response_type: 'ephemeral', replace_original: false, text });
    },
  };
}

/**
 * A holder of a signing secret can name any URL in a call, so responses go only to Slack's own URLs.
 */
function isResponseUrl(responseUrl: string, apiUrl: string): boolean {
  if (!URL.canParse(responseUrl)) return false;
  const [given, api] = [new URL(responseUrl), new URL(apiUrl)];
  if (given.username !== '' || given.password !== '') return false;
  return given.origin === api.origin || given.origin === `https://hooks.${api.host}`;
}

async function post(url: string, body: unknown): Promise<void> {
  const { status } = await callHttp(new URL(url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    maxBytes: RESPONSE_BYTES,
    signal: AbortSignal.timeout(EPHEMERAL_TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw withoutResponse(error);
  });
  if (status < 200 || status >= 300)
    throw new SlackError(status >= 500 ? 'away' : 'refused', `http_${status}`);
}

function withoutResponse(error: unknown): SlackError {
  const { original = error } = error as { readonly original?: unknown };
  const timedOut = (original as { readonly name?: unknown } | null)?.name === 'TimeoutError';
  const errorCause = timedOut ? 'timeout' : connectionFault(original);
  return new SlackError('away', 'no_answer', { errorCause });
}

async function withSlackErrors<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    throw toSlackError(error);
  }
}

function toSlackError(error: unknown): SlackError {
  if (error instanceof WebAPIRateLimitedError)
    return new SlackError('limited', 'ratelimited', {
      retryAfterSeconds: Math.max(1, error.retryAfter),
    });
  if (error instanceof WebAPIPlatformError) {
    const { error: reason } = error.data;
    // Not an error code, but a page from something between us and Slack.
    if (!/^[a-z0-9_-]{1,80}$/i.test(reason)) return new SlackError('away', 'unreadable_answer');
    return new SlackError(PASSING.has(reason) ? 'away' : 'refused', reason);
  }
  if (error instanceof WebAPIHTTPError) return new SlackError('away', `http_${error.statusCode}`);
  return withoutResponse(error);
}

function need(value: string | undefined): string {
  if (value === undefined || value === '') throw new SlackError('away', 'incomplete_answer');
  return value;
}
