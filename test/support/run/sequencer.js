import Sequencer from '@jest/test-sequencer';

/**
 * Tests that wait for real minutes and real processes start first, even on a machine without
 * timings. They leave the cores to others meanwhile, so none of them runs alone at the end.
 */
const FIRST = [
  '/test/bin/demo',
  '/test/api/http/endpoint-matrix',
  '/test/faults/',
  '/test/bin/',
  '/test/local/embedded',
  '/test/workflows/',
];

export default class SlowestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => FIRST.findIndex((part) => path.includes(part));
    const place = (test) => (rank(test) === -1 ? FIRST.length : rank(test));
    return [...super.sort(tests)].sort((a, b) => place(a) - place(b));
  }
}
