/** The tests of `test/faults/temporal-away.test.ts`, with rules at the door. */
import { atTheDoor } from '../support/door.ts';

await atTheDoor('./temporal-away.test.ts', import.meta.url);
