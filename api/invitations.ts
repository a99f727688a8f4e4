/** Inviting people, and accepting an invitation. */
import type { Endpoint } from './endpoint.ts';

export const invitationEndpoints: readonly Endpoint[] = [];
