/**
 * Calls the service and keeps what it answers, together with every secret that it issued or took: the places where the tests
 * look, and what they look for.
 */
import type { TestApp } from '../../../support/app.ts';
import { HttpClient, type ApiResponse, type CallOptions } from '../../../support/http.ts';
import { cookieOf, deleteAttempts } from '../../../support/scene/sign-in.ts';
import { everyColumn, type Column, type KnownSecret } from '../../../support/secrets.ts';

interface KeptResponse {
  readonly what: string;
  readonly text: string;
}

/** Calls, and keeps every answer with its headers. */
class Recorder {
  constructor(
    private readonly app: TestApp,
    private readonly answers: KeptResponse[],
    private readonly defaults: Readonly<Record<string, string>> = {},
  ) {}

  async call(method: string, path: string, options: CallOptions = {}): Promise<ApiResponse> {
    const answer = await new HttpClient(this.app.url, this.defaults).call(method, path, options);
    this.answers.push({
      what: `${method} ${path}: ${answer.status}`,
      text: `${JSON.stringify(answer.headers)}\n${answer.text}`,
    });
    return answer;
  }
  post(
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse> {
    return this.call('POST', path, { body, headers });
  }
}

export type SecretCalls = ReturnType<typeof secretCalls>;

export function secretCalls(app: TestApp) {
  /** A copy of every table, taken before each deletion and at the end. */
  const columns: Column[] = [];
  const answers: KeptResponse[] = [];
  const secrets: KnownSecret[] = [];
  /** Secrets whose SHA-256 is stored on purpose. The search must find their hashes only there. */
  const hashed: string[] = [];

  const anonymous = new Recorder(app, answers);
  const bearer = (token: string) =>
    new Recorder(app, answers, { authorization: `Bearer ${token}` });
  const browser = (cookie: string) =>
    new Recorder(app, answers, { cookie, origin: app.url, 'sec-fetch-site': 'same-origin' });

  /** A secret that no answer may contain. */
  function hide(name: string, text: string): string {
    secrets.push({ name, text });
    return text;
  }

  /** A secret that the last answer contains and no other may. */
  function shown(name: string, text: string): string {
    if (text.length < 6) throw new Error(`${name} was not shown: ${answers.at(-1)?.what ?? ''}`);
    secrets.push({ name, text, shownIn: answers.length - 1 });
    return text;
  }

  /** The same for a secret that is stored as a hash. */
  function shownToken(name: string, text: string): string {
    hashed.push(text);
    return shown(name, text);
  }

  /**
   * Each authentication gives the session another token, and only the hash of the newest is stored.
   */
  function session(name: string, answer: ApiResponse): string {
    const cookie = cookieOf(answer);
    shown(name, cookie.split('=')[1] ?? '');
    return cookie;
  }

  const copyTables = async () => {
    columns.push(...(await everyColumn(app.db)));
  };
  /** Without this, so many attempts would be slowed down. */
  async function resetAttempts(): Promise<void> {
    await copyTables();
    await deleteAttempts(app);
  }
  const kept = { columns, answers, secrets, hashed };
  const clients = { anonymous, bearer, browser };
  return { app, ...kept, ...clients, hide, shown, shownToken, session, copyTables, resetAttempts };
}
