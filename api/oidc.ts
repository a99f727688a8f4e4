/** Signing in through an OpenID provider. */
import type { Endpoint } from './endpoint.ts';

export const oidcEndpoints: readonly Endpoint[] = [];
