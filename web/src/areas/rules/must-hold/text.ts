/** English texts of tests that must hold. */
import { countText, someText } from '../../../shared/text/numbers.ts';

export const mustHold = {
  title: 'Tests',
  hint: 'What must stay true, whatever someone changes. The tests run at each change, with these rules alone. This browser keeps them until you sign out.',
  none: 'There is no test yet. Choose a request and what has to become of it.',
  expected: 'Must be',
  outcomes: { approve: 'approved', deny: 'denied', human: 'sent to a person' },
  add: 'Add the test',
  full: (count: number) => `There is room for ${countText(count)} tests.`,
  noRoom: 'This browser has no room for the test.',
  remove: (name: string) => `Remove the test “${name}”`,
  removeShort: 'Remove',
  request: 'the request',
  is: (tool: string, outcome: string) => `${tool} is ${outcome}`,
  holds: 'holds',
  running: 'Running the tests …',
  fails: (outcome: string) => `does not hold: it is ${outcome}`,
  system: 'cannot be told: a rule that asks another system comes first',
  gone: 'cannot be told: the request can no longer be read',
  refused: 'cannot be told: the request is not one that rules can read',
  waiting: 'not run yet',
  stopped:
    'The tests did not run. They run again at the next change; rules that are not valid cannot be tested.',
  accept: (names: readonly string[]) =>
    `${someText(names.length, 'test does', 'tests do')} not hold: ${names.map((name) => `“${name}”`).join(', ')}. This is meant.`,
  notRun: 'The tests have not run with this text yet. Activate it all the same.',
} as const;
