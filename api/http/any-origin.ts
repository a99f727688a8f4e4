/**
 * Lets pages of any origin call the endpoints that declare `anyOrigin`, and read what they respond. Browsers then neither send
 * cookies nor show responses to calls that had some.
 */
import type Koa from 'koa';
import type { Endpoint } from './endpoint.ts';

const PREFLIGHT_SECONDS = 3_600;

export function anyOrigin(endpoints: readonly Endpoint[]): Koa.Middleware {
  const methods = new Map<string, string[]>();
  for (const { path, method } of endpoints.filter((endpoint) => endpoint.anyOrigin))
    methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
  return async (ctx, next) => {
    const open = methods.get(ctx.path);
    if (!open) {
      await next();
      return;
    }
    ctx.set('Access-Control-Allow-Origin', '*');
    ctx.set('Access-Control-Expose-Headers', 'Retry-After, X-Request-ID');
    ctx.set('Cross-Origin-Resource-Policy', 'cross-origin');
    if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') {
      await next();
      return;
    }
    ctx.set('Access-Control-Allow-Methods', open.join(', '));
    // Without credentials, this names every header but Authorization, which none of these endpoints reads.
    ctx.set('Access-Control-Allow-Headers', '*');
    ctx.set('Access-Control-Max-Age', String(PREFLIGHT_SECONDS));
    ctx.status = 204;
  };
}
