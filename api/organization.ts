/** The organization: settings, limits, onboarding, its end. */
import type { Endpoint } from './endpoint.ts';

export const organizationEndpoints: readonly Endpoint[] = [];
