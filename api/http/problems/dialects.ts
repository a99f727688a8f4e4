/** How errors are written. An endpoint declares its dialect, and a path without an endpoint has that of its mount. */

/** `product`: the envelope of this service. `aap`: that of AAP 1.0.0, without `details`. `oauth`: that of RFC 6749. */
export type Dialect = 'product' | 'aap' | 'oauth';

/** Everything below it speaks AAP 1.0.0, unknown paths too. */
const AAP_MOUNT = /^\/aap(?:\/|$)/;

interface Speaker {
  readonly path: string;
  readonly dialect?: Dialect;
}

/** The dialect of the response at a path, known before the endpoint is. */
export function dialectsOf(endpoints: readonly Speaker[]): (url: string) => Dialect {
  const declared = new Map(endpoints.map(({ path, dialect }) => [path, dialect]));
  return (url) => {
    const [path = ''] = url.split('?');
    return AAP_MOUNT.test(path) ? 'aap' : (declared.get(path) ?? 'product');
  };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PRINTABLE = /^[\x20-\x7e]{1,128}$/;

/** Whether the id that a caller sent becomes the id of the call. */
export function isAdopted(requestId: string, dialect: Dialect): boolean {
  return (dialect === 'aap' ? UUID : PRINTABLE).test(requestId);
}
