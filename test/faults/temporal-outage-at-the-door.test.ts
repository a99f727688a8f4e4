/** The tests of `test/faults/temporal-outage.test.ts`, with rules at the door. */
import { atTheDoor } from '../support/door.ts';

await atTheDoor('./temporal-outage.test.ts', import.meta.url);
