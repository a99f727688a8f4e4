/** What became of a request at each rule, for the cards. */
import type { Trial } from './trial.ts';

/** By block: what became of the request there. */
export function trialMarks(trial: Trial | undefined): ReadonlyMap<string, string> {
  return new Map(
    trial?.blocks.map(({ block_id: id, outcome }) => [
      id,
      outcome === 'next' ? 'passed' : 'matched',
    ]),
  );
}
