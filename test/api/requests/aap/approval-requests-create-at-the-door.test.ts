/** The tests of `test/api/requests/aap/approval-requests-create.test.ts`, with rules at the door. */
import { atTheDoor } from '../../../support/door.ts';

await atTheDoor('./approval-requests-create.test.ts', import.meta.url);
