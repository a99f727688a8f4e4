/** The tests of `test/faults/reconciler.test.ts`, with rules at the door. */
import { atTheDoor } from '../support/door.ts';

await atTheDoor('./reconciler.test.ts', import.meta.url);
