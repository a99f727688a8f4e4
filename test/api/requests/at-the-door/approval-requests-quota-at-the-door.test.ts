/** The tests of `test/api/requests/approval-requests-quota.test.ts`, with rules at the door. */
import { atTheDoor } from '../../../support/door.ts';

await atTheDoor('../approval-requests-quota.test.ts', import.meta.url);
