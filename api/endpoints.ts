/** Every endpoint of the interface, one line per noun. Adding one: ARCHITECTURE.md, «Where to add an endpoint». */
import type { Endpoint } from './endpoint.ts';

export const endpoints: readonly Endpoint[] = [];
