/** The tests of `test/faults/killed-workers.test.ts`, with rules at the door. */
import { atTheDoor } from '../support/door.ts';

await atTheDoor('./killed-workers.test.ts', import.meta.url);
