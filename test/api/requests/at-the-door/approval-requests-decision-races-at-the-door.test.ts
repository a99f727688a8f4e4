/** The tests of `test/api/requests/approval-requests-decision-races.test.ts`, with rules at the door. */
import { atTheDoor } from '../../../support/door.ts';

await atTheDoor('../approval-requests-decision-races.test.ts', import.meta.url);
