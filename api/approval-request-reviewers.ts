/** Asking further people for help with a request. */
import type { Endpoint } from './endpoint.ts';

export const approvalRequestReviewerEndpoints: readonly Endpoint[] = [];
