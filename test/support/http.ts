/** A small JSON client for the product API: one call, the whole response. */
import { request } from 'undici';

/** A parsed JSON body, which tests read by path. */
// Tests read responses of many shapes, and a wrong path fails the expectation that follows.
export type Json = Record<string, never> & { readonly [key: string]: Json } & readonly Json[];

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Undefined when there is no body of JSON. */
  readonly body: Json;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends `body` as JSON, and a string unchanged. */
export class HttpClient {
  constructor(
    private readonly baseUrl: string,
    private readonly defaults: Readonly<Record<string, string>> = {},
  ) {}

  async call(
    method: string,
    path: string,
    { body, headers }: CallOptions = {},
  ): Promise<ApiResponse> {
    const response = await request(`${this.baseUrl}${path}`, {
      method: method as 'GET',
      headers: {
        ...this.defaults,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.body.text();
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const flat = Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]);
    return {
      status: response.statusCode,
      headers: Object.fromEntries(flat) as Record<string, string>,
      text,
      body: (isJson && text !== '' ? JSON.parse(text) : undefined) as Json,
    };
  }

  get(path: string, options?: CallOptions): Promise<ApiResponse> {
    return this.call('GET', path, options);
  }

  post(path: string, body?: unknown, options: CallOptions = {}): Promise<ApiResponse> {
    return this.call('POST', path, { ...options, body });
  }

  delete(path: string, options?: CallOptions): Promise<ApiResponse> {
    return this.call('DELETE', path, options);
  }
}
