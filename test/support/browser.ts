/** A browser for sign-ins: a cookie jar for each origin, and redirects followed one by one. */
import { request } from 'undici';

export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
  readonly text: string;
  /** The address of the redirect. */
  readonly location: URL | undefined;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
}

const MAX_REDIRECTS = 15;

export class Browser {
  /** By origin, then by name. */
  readonly jars = new Map<string, Map<string, Cookie>>();

  /** One call with the cookies of its origin and path. Follows no redirect. */
  async open(url: string | URL, headers: Readonly<Record<string, string>> = {}): Promise<Page> {
    const target = new URL(url);
    const cookie = this.cookieHeader(target);
    const response = await request(target, {
      headers: { ...(cookie !== '' && { cookie }), ...headers },
    });
    const setCookies = [response.headers['set-cookie'] ?? []].flat();
    for (const text of setCookies) this.keep(target.origin, text);
    const { location } = response.headers;
    return {
      url: target,
      status: response.statusCode,
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
      ),
      setCookies,
      text: await response.body.text(),
      location: typeof location === 'string' ? new URL(location, target) : undefined,
    };
  }

  /**
   * Follows redirects to the end, or until `stop` accepts the next address. Returns the last page
   * that was opened.
   */
  async follow(url: string | URL, stop: (next: URL) => boolean = () => false): Promise<Page> {
    let page = await this.open(url);
    for (let count = 0; page.location && !stop(page.location); count += 1) {
      if (count === MAX_REDIRECTS) throw new Error(`redirected for ever: ${page.location.href}`);
      page = await this.open(page.location);
    }
    return page;
  }

  cookie(origin: string, name: string): string | undefined {
    return this.jars.get(origin)?.get(name)?.value;
  }

  setCookie(origin: string, name: string, cookie: Cookie): void {
    const jar = this.jars.get(origin) ?? new Map<string, Cookie>();
    this.jars.set(origin, jar.set(name, cookie));
  }

  private keep(origin: string, text: string): void {
    const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
    const [name = '', ...value] = pair.split('=');
    const attribute = (wanted: string) =>
      attributes
        .find((part) => part.toLowerCase().startsWith(`${wanted}=`))
        ?.slice(wanted.length + 1);
    const expires = attribute('expires');
    const ended =
      attribute('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now());
    if (ended) this.jars.get(origin)?.delete(name);
    else this.setCookie(origin, name, { value: value.join('='), path: attribute('path') ?? '/' });
  }

  private cookieHeader({ origin, pathname }: URL): string {
    return [...(this.jars.get(origin) ?? [])]
      .filter(
        ([, { path }]) =>
          pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
      )
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }
}
