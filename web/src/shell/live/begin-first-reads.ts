/** Runs before all other files on pages of requests, which name it (`web/build/first-screens.ts`). */
import { beginFirstReads } from './first-reads.ts';

beginFirstReads(location);
