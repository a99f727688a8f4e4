/**
 * `node --import ./test/support/run/typescript.js some.ts` runs our sources without a build, for
 * scripts. Tests run what global setup compiles.
 */
import { register } from 'node:module';

register('./typescript-hooks.js', import.meta.url);
