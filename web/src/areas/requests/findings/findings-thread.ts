/** A worker thread: what it finds in a large call does not hold up its reader. */
import {
  findingsIn,
  type CallFindings,
} from '../../../../../src/domain/shown/page/call-findings.ts';
import type { Wanted } from './wanted.ts';

interface Thread {
  onmessage: (event: MessageEvent<Wanted>) => void;
  postMessage(found: CallFindings): void;
}

const thread = globalThis as unknown as Thread;

thread.onmessage = ({ data: { given, how } }) => {
  thread.postMessage(findingsIn(given, how));
};
