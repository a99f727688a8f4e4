/**
 * `node --import ./test/support/run/typescript.js some.ts` runs our sources without a build, for
 * tests that start processes.
 */
import { register } from 'node:module';

register('./typescript-hooks.js', import.meta.url);
