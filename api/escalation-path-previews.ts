/** When each level of a path would fire if nobody answered. */
import type { Endpoint } from './endpoint.ts';

export const escalationPathPreviewEndpoints: readonly Endpoint[] = [];
