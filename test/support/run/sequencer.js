import Sequencer from '@jest/test-sequencer';

/**
 * Tests that mostly wait for real minutes and real processes. They start first, so that none of them
 * runs alone at the end.
 */
const WAITING = [
  '/test/bin/demo',
  '/test/api/http/endpoint-matrix',
  '/test/faults/',
  '/test/bin/',
  '/test/local/embedded',
  '/test/workflows/',
];

/** Between each two of them runs one that needs a core: otherwise the cores would wait, too. */
export default class SlowestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => WAITING.findIndex((part) => path.includes(part));
    const sorted = [...super.sort(tests)];
    const waiting = sorted.filter((test) => place(test) !== -1).sort((a, b) => place(a) - place(b));
    const working = sorted.filter((test) => place(test) === -1);
    const pairs = waiting.flatMap((test, index) => [test, ...working.slice(index, index + 1)]);
    return [...pairs, ...working.slice(waiting.length)];
  }
}
