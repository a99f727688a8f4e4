/** By which channels a member wants to be told. */
import type { Endpoint } from './endpoint.ts';

export const notificationSettingEndpoints: readonly Endpoint[] = [];
