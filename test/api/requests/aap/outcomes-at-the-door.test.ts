/** The tests of `test/api/requests/aap/outcomes.test.ts`, with rules at the door. */
import { atTheDoor } from '../../../support/door.ts';

await atTheDoor('./outcomes.test.ts', import.meta.url);
