/** The tests of `test/faults/killed-processes.test.ts`, with rules at the door. */
import { atTheDoor } from '../support/door.ts';

await atTheDoor('./killed-processes.test.ts', import.meta.url);
