/** Every endpoint against every caller that could make a difference to it. `endpoint-matrix.test.ts` has one of each class. */
import { afterAll } from '@jest/globals';
import { acquaintances } from '../../../support/matrix/callers.ts';
import { named } from '../../../support/matrix/endpoints.ts';
import { describeCallers } from '../../../support/matrix/rows.ts';
import { startEdition } from '../../../support/matrix/service.ts';
import { createWorld } from '../../../support/matrix/world.ts';

const hosted = await startEdition('hosted');
const home = await createWorld(hosted.app);
afterAll(() => hosted.app.close());

const callers = await acquaintances(hosted, home);
describeCallers(hosted, home, { callers, at: named });
