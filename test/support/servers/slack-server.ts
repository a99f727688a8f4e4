/** A local stand-in for Slack's Web API. It records calls and fails on request. */
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { HttpClient, type ApiResponse, type Json } from '../http.ts';
import { until } from '../waiting.ts';
import { passedLimits } from './slack-limits.ts';

/** A block as it was sent, read by path. */
export type Block = { readonly type: string; readonly [key: string]: unknown };

export interface SlackPost {
  readonly channel: string;
  readonly ts: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The whole body. */
  readonly fields: Readonly<Record<string, string>>;
  /** The number of updates. */
  readonly updates: number;
}

/** A form in front of a person. */
export interface OpenedForm {
  readonly triggerId: string;
  readonly view: Readonly<Record<string, unknown>>;
}

export interface Workspace {
  readonly teamId: string;
  readonly botToken: string;
  readonly signingSecret: string;
}

/** Replaces the responses to the next calls. `silent`: no response. */
export type Misbehavior =
  | { readonly kind: 'error'; readonly error: string }
  | { readonly kind: 'limited'; readonly retryAfter: number }
  | { readonly kind: 'status'; readonly status: number }
  /** The token is for a whole Slack organization. */
  | { readonly kind: 'org_wide' }
  | { readonly kind: 'garbage' }
  | { readonly kind: 'taken_but_silent' };

/** What `auth.test` says then: an organization, and no workspace. */
const ORG_WIDE = {
  ...{ ok: true, user_id: 'UBOT', bot_id: 'BBOT' },
  ...{ is_enterprise_install: true, enterprise_id: 'E0001' },
};
const COMMANDS = '/auth/slack/commands';
const FOLLOWS = 'The outcome follows here';
let teams = 0;

export class SlackServer {
  readonly posts: SlackPost[] = [];
  /** Ephemeral texts. */
  readonly ephemeralTexts: string[] = [];
  /** The same by the path that they were posted to. */
  private readonly responses = new Map<string, string>();
  /** The forms that were opened. */
  readonly forms: OpenedForm[] = [];
  /** The methods called, in order. */
  readonly calls: string[] = [];
  /** By method. */
  readonly misbehavior = new Map<string, Misbehavior>();
  /** Channels that refuse messages. */
  readonly archived = new Set<string>();
  /** Channels that no longer exist. */
  readonly gone = new Set<string>();
  /** By method: what the next call of it waits for. */
  private readonly held = new Map<string, Promise<unknown>>();
  private readonly workspaces = new Map<string, Workspace>();
  private server: Server | undefined;
  private port = 0;

  /** Restarts at the same address after a stop. */
  async start(): Promise<void> {
    const server = createServer((request, response) => {
      this.serve(request, response).catch(() => {
        response.destroy();
      });
    });
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Stops responding. */
  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get environment(): Readonly<Record<string, string>> {
    return { COUNTERSIGN_SLACK_API_URL: `${this.url}/api/` };
  }

  addWorkspace(teamId = `T${String(++teams).padStart(8, '0')}`): Workspace {
    const workspace = {
      teamId,
      botToken: `xoxb-${randomUUID()}`,
      signingSecret: randomUUID().replaceAll('-', ''),
    };
    this.workspaces.set(workspace.botToken, workspace);
    return workspace;
  }

  /**
   * Holds the next call of the method, or the next `response` to a click, until the returned
   * function is called.
   */
  holdNext(method: string): () => void {
    const release = new AbortController();
    this.held.set(method, once(release.signal, 'abort'));
    return () => {
      release.abort();
    };
  }

  postsTo(channel: string): SlackPost[] {
    return this.posts.filter((post) => post.channel === channel);
  }

  /** The last ephemeral text, once there are `count` of them. */
  async ephemeralText(count: number): Promise<string> {
    await until(`${count} ephemeral texts`, () => this.ephemeralTexts.length >= count);
    return this.ephemeralTexts.at(-1) ?? '';
  }

  /** The text that was posted to this URL, once there is one. */
  async respondedAt(url: string): Promise<string> {
    const { pathname } = new URL(url);
    await until('the response is posted', () => this.responses.has(pathname));
    return this.responses.get(pathname) ?? '';
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const path = request.url ?? '';
    if (path.startsWith('/response/')) {
      await this.heldBack('response');
      const said = JSON.parse(body) as { text: string };
      this.ephemeralTexts.push(said.text);
      this.responses.set(path, said.text);
      response.end('ok');
      return;
    }
    if (path.startsWith('/gone/')) {
      response.writeHead(404).end();
      return;
    }
    const method = path.slice('/api/'.length);
    this.calls.push(method);
    await this.heldBack(method);
    const wrong = this.misbehavior.get(method);
    if (wrong?.kind === 'limited')
      response.writeHead(429, { 'retry-after': String(wrong.retryAfter) });
    else if (wrong?.kind === 'status')
      response.writeHead(wrong.status, { 'content-type': 'text/plain' });
    else
      response.writeHead(200, {
        'content-type': wrong?.kind === 'garbage' ? 'text/html' : 'application/json',
      });
    const reply = (): unknown =>
      this.reply(method, { fields: Object.fromEntries(new URLSearchParams(body)), request });
    if (!wrong) response.end(JSON.stringify(reply()));
    else if (wrong.kind === 'error')
      response.end(JSON.stringify({ ok: false, error: wrong.error }));
    else if (wrong.kind === 'org_wide') response.end(JSON.stringify(ORG_WIDE));
    else if (wrong.kind === 'taken_but_silent') {
      reply();
      response.destroy();
    } else response.end('<html>not what you asked for</html>');
  }

  private async heldBack(method: string): Promise<void> {
    const held = this.held.get(method);
    this.held.delete(method);
    await held;
  }

  private reply(
    method: string,
    {
      fields,
      request,
    }: { readonly fields: Readonly<Record<string, string>>; readonly request: IncomingMessage },
  ): unknown {
    const workspace = this.workspaces.get(
      (request.headers.authorization ?? '').replace(/^Bearer /, ''),
    );
    if (!workspace) return { ok: false, error: 'invalid_auth' };
    switch (method) {
      case 'auth.test':
        return {
          ok: true,
          team_id: workspace.teamId,
          team: `Team ${workspace.teamId}`,
          user_id: 'UBOT',
          bot_id: 'BBOT',
        };
      case 'conversations.open':
        return { ok: true, channel: { id: `D${fields['users'] ?? ''}` } };
      case 'chat.postMessage':
        return this.post(fields);
      case 'chat.update':
        return this.update(fields);
      case 'views.open':
        this.forms.push({
          triggerId: fields['trigger_id'] ?? '',
          view: JSON.parse(fields['view'] ?? '{}') as OpenedForm['view'],
        });
        return { ok: true, view: {} };
      default:
        return { ok: false, error: 'unknown_method' };
    }
  }

  private post(fields: Readonly<Record<string, string>>): unknown {
    const { channel = '' } = fields;
    if (this.archived.has(channel)) return { ok: false, error: 'is_archived' };
    const refused = refusalOf(contentOf(fields));
    if (refused) return refused;
    if (this.gone.has(channel)) return { ok: false, error: 'channel_not_found' };
    const ts = `1700000000.${String(this.posts.length).padStart(6, '0')}`;
    this.posts.push({ channel, ts, ...contentOf(fields), fields, updates: 0 });
    return { ok: true, channel, ts };
  }

  private update(fields: Readonly<Record<string, string>>): unknown {
    const { channel, ts } = fields;
    const at = this.posts.findIndex((post) => post.channel === channel && post.ts === ts);
    const post = this.posts[at];
    if (!post) return { ok: false, error: 'message_not_found' };
    const refused = refusalOf(contentOf(fields));
    if (refused) return refused;
    this.posts[at] = { ...post, ...contentOf(fields), updates: post.updates + 1 };
    return { ok: true, channel, ts };
  }
}

function contentOf(fields: Readonly<Record<string, string>>): Pick<SlackPost, 'text' | 'blocks'> {
  return { text: fields['text'] ?? '', blocks: JSON.parse(fields['blocks'] ?? '[]') as Block[] };
}

/** Slack's response to a message beyond its limits. */
function refusalOf(content: Pick<SlackPost, 'text' | 'blocks'>): unknown {
  const messages = passedLimits(content);
  return messages.length === 0
    ? undefined
    : { ok: false, error: 'invalid_blocks', response_metadata: { messages } };
}

/** The buttons of a message. */
export function buttonsOf({
  blocks,
}: SlackPost): Readonly<Record<string, { readonly action_id: string; readonly value?: string }>> {
  const elements = blocks
    .filter(({ type }) => type === 'actions')
    .flatMap((block) => block['elements'] as unknown[]);
  return Object.fromEntries(
    (elements as { text: { text: string }; action_id: string; value?: string }[]).map((button) => [
      button.text.text,
      button,
    ]),
  );
}

export interface Signing {
  readonly secret?: string;
  /** Seconds since the epoch. */
  readonly timestamp?: number;
  /** The whole header. */
  readonly signature?: string;
}

/** Plays a person in Slack: sends clicks and commands to the service. */
export class SlackCaller {
  constructor(
    private readonly appUrl: string,
    private readonly server: SlackServer,
    private readonly workspace: Workspace,
  ) {}

  /**
   * The response that the person sees. The service acknowledges a command that takes longer than Slack waits, as on a busy
   * machine, and posts its outcome afterwards.
   */
  async command(slackUserId: string, typed: string): Promise<ApiResponse> {
    const form = this.commandForm(slackUserId, typed);
    const reply = await this.send(COMMANDS, form);
    if (!reply.text.includes(FOLLOWS)) return reply;
    const outcome = await this.server.respondedAt(
      new URLSearchParams(form).get('response_url') ?? '',
    );
    const body = { response_type: 'ephemeral', text: outcome };
    return { ...reply, text: JSON.stringify(body), body: body as unknown as Json };
  }

  commandForm(slackUserId: string, typed: string): string {
    const trigger_id = randomUUID();
    return new URLSearchParams({
      team_id: this.workspace.teamId,
      user_id: slackUserId,
      command: '/countersign',
      text: typed,
      response_url: `${this.server.url}/response/${randomUUID()}`,
      trigger_id,
    }).toString();
  }

  async click(
    slackUserId: string,
    button: { action_id?: string; value?: string } | undefined,
    signing: Signing = {},
  ): Promise<ApiResponse> {
    return await this.send(
      '/auth/slack/interactions',
      this.clickForm(slackUserId, button),
      signing,
    );
  }

  /** Sends a form with its one input filled in. */
  async submit(
    slackUserId: string,
    { view }: OpenedForm,
    typed: string | null,
  ): Promise<ApiResponse> {
    const [{ block_id, element }] = view['blocks'] as [
      { block_id: string; element: { action_id: string } },
    ];
    const input = { [element.action_id]: { type: 'plain_text_input', value: typed } };
    const payload = JSON.stringify({
      type: 'view_submission',
      team: { id: this.workspace.teamId, domain: 'example' },
      user: { id: slackUserId, name: 'caller', team_id: this.workspace.teamId },
      trigger_id: randomUUID(),
      view: { ...view, id: 'V1', state: { values: { [block_id]: input } } },
      response_urls: [],
    });
    return await this.send('/auth/slack/interactions', new URLSearchParams({ payload }).toString());
  }

  /** `triggerId`: that of an earlier click, to send it again. */
  clickForm(
    slackUserId: string,
    button: { action_id?: string; value?: string } | undefined,
    triggerId: string = randomUUID(),
  ): string {
    const payload = JSON.stringify({
      type: 'block_actions',
      team: { id: this.workspace.teamId, domain: 'example' },
      user: { id: slackUserId, name: 'caller' },
      trigger_id: triggerId,
      response_url: `${this.server.url}/response/${randomUUID()}`,
      actions: button ? [{ type: 'button', action_id: button.action_id, value: button.value }] : [],
    });
    return new URLSearchParams({ payload }).toString();
  }

  async send(
    path: string,
    body: string,
    { secret = this.workspace.signingSecret, timestamp = now(), signature }: Signing = {},
  ): Promise<ApiResponse> {
    const signed =
      signature ??
      `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
    return await this.raw(path, body, {
      'x-slack-request-timestamp': String(timestamp),
      'x-slack-signature': signed,
    });
  }

  async raw(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<ApiResponse> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return await new HttpClient(this.appUrl).post(path, body, { headers: { ...type, ...headers } });
  }
}

export const now = (): number => Math.floor(Date.now() / 1_000);
