/** Claiming a request, so that others are not asked meanwhile, and releasing it. */
import type { Endpoint } from './endpoint.ts';

export const approvalRequestClaimEndpoints: readonly Endpoint[] = [];
