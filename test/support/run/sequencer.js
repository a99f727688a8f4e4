import Sequencer from '@jest/test-sequencer';

/** What waits for real minutes and real processes starts first: on a machine that has no timings yet, too. */
const FIRST = ['/test/bin/demo', '/test/bin/', '/test/faults/', '/test/workflows/'];

export default class SlowestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => FIRST.findIndex((part) => path.includes(part));
    const place = (test) => (rank(test) === -1 ? FIRST.length : rank(test));
    return [...super.sort(tests)].sort((a, b) => place(a) - place(b));
  }
}
