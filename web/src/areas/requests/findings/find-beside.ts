/** Has a thread find what is hidden, cut and deceptive in a large call. */
import {
  findingsIn,
  type CallFindings,
} from '../../../../../src/domain/shown/page/call-findings.ts';
import { startThread } from '../../../shared/browser/trusted-types.ts';
import thread from './findings-thread.ts?worker&url';
import type { Wanted } from './wanted.ts';

/** Where no thread starts, the page finds it by itself. */
export async function findBeside({ given, how }: Wanted): Promise<CallFindings> {
  try {
    return await ask({ given, how });
  } catch {
    return findingsIn(given, how);
  }
}

async function ask(wanted: Wanted): Promise<CallFindings> {
  const worker = startThread(thread);
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<CallFindings>) => {
        resolve(data);
      };
      worker.onerror = () => {
        reject(new Error('The thread did not start.'));
      };
      worker.postMessage(wanted);
    });
  } finally {
    worker.terminate();
  }
}
