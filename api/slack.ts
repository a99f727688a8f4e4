/** Connecting Slack: buttons that decide, and whose Slack user a member is. */
import type { Endpoint } from './endpoint.ts';

export const slackEndpoints: readonly Endpoint[] = [];
