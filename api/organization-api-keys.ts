/** All API keys of the organization, and keys that act for it. */
import type { Endpoint } from './endpoint.ts';

export const organizationApiKeyEndpoints: readonly Endpoint[] = [];
