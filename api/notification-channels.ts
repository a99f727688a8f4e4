/** Where the messages of an organization go, and what could not be delivered. */
import type { Endpoint } from './endpoint.ts';

export const notificationChannelEndpoints: readonly Endpoint[] = [];
