/** The tests of `test/faults/postgres-away.test.ts`, with rules at the door. */
import { atTheDoor } from '../support/door.ts';

await atTheDoor('./postgres-away.test.ts', import.meta.url);
