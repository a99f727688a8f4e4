/** The tests of `test/faults/heavy-conditions.test.ts`, with rules at the door. */
import { atTheDoor } from '../support/door.ts';

await atTheDoor('./heavy-conditions.test.ts', import.meta.url);
