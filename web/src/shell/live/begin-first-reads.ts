/**
 * Begins the first reads when it is loaded. A page of requests names it, so that it need not wait for larger files
 * (`web/build/first-screens.ts`). `main.tsx` imports it for pages that Vite serves while developing.
 */
import { beginFirstReads } from './first-reads.ts';

beginFirstReads(location);
