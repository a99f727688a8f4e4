/** English texts of tests that must hold. */
import { countText, someText } from '../../../shared/text/numbers.ts';

export const mustHold = {
  title: 'Tests',
  hint: 'Tests check that rules keep the outcomes you rely on. They run at each change, against these rules only. This browser keeps them until you sign out.',
  none: 'There is no test yet. Choose a request and its expected outcome.',
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
  system: 'unknown: a rule that asks another system comes first',
  gone: 'unknown: the request can no longer be read',
  refused: 'unknown: rules cannot read the request',
  waiting: 'not run yet',
  stopped:
    'The tests did not run. They run again at the next change. Fix any problems in the rules first.',
  accept: (names: readonly string[]) =>
    `${someText(names.length, 'test does', 'tests do')} not hold: ${names.map((name) => `“${name}”`).join(', ')}. This is intended.`,
  notRun: 'The tests have not run with this version yet. Activate it anyway.',
} as const;
